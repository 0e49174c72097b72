"""The front page: the box for what broke first, then what is in the catalog."""

from __future__ import annotations

from kb.catalog import queries
from kb.present import links
from kb.web.examples import SAMPLE, examples
from kb.web.pages import Page, Visit, late_page

__all__ = ["home"]


@late_page
def home(visit: Visit) -> Page:
    """``/``. Five queries."""
    view = queries.home()
    sample = queries.sample_rows(SAMPLE)
    return Page(
        template="home.html",
        title="What broke?",
        path=links.HOME,
        description=f"{visit.state.records:,} documented errors of {visit.state.repositories:,} repositories: "
        "what each one means, what triggers it, how to fix it and how to handle it.",
        context={"home": view, "examples": examples(sample)},
        depends_on=tuple((release.id, release.state) for release in view.releases),
    )
