"""From harvested packages to the catalog: a published layout in the data directory, then an ordinary import of it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from kb.catalog import queries
from kb.harvest.dataset import Layout, by_repository, replacing
from kb.harvest.running import PackageHarvest
from kb.imports.export.options import ExportOptions
from kb.imports.export.running import run_export
from kb.imports.options import ImportOptions, ImportReport
from kb.imports.pipeline import run_import
from kb.imports.progress import ProgressReporter
from kb.records.keys import url_key

__all__ = ["DEFAULT_DATASET", "LOWEST_PRIORITY", "import_harvest"]

DEFAULT_DATASET: Final = "harvest"
LOWEST_PRIORITY: Final = -1_000_000
"""What a new dataset gets: whatever else holds a record of the same place was written by someone, and is shown."""


def import_harvest(
    harvests: Iterable[PackageHarvest], options: Mapping[str, Any], *, progress: ProgressReporter
) -> ImportReport:
    """Loads what was harvested, as the dataset that the command's ``options`` name.

    Repositories that an earlier harvest had and this one does not have stay as they are, unless ``complete`` is among
    the options. Of a repository that this one has, what is gone is retired. Raises ``OSError``.
    """
    name = options["dataset"]
    held = queries.dataset(name)
    place = settings.KB_DATA_DIR / "harvest" / url_key(name)
    try:
        with replacing(place) as draft:
            layout = Layout(draft)
            for repository in by_repository(harvests, partial(queries.slugs_beside, name)):
                layout.add(repository)
            if held is not None and not options["complete"]:
                problem = _keep_others(layout, name)
                if problem:
                    return ImportReport(dataset=name, error=problem)
            layout.finish()
        return run_import([str(place)], _import_options(options, known=held is not None), progress=progress)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _keep_others(layout: Layout, name: str) -> str:
    """Puts the dataset's other repositories into the layout; says what went wrong, if anything did."""
    new = {repository.casefold() for repository in layout.repositories}
    others = [repository for repository in queries.dataset_repositories(name) if repository.casefold() not in new]
    if not others:
        return ""
    with tempfile.TemporaryDirectory(dir=settings.KB_DATA_DIR, prefix=".harvest-") as folder:
        target = Path(folder) / "others"
        report = run_export(ExportOptions(target=str(target), dataset=name, repositories=tuple(others)))
        if report.outcome != "exported":
            return f"what dataset {name} holds could not be read: {report.error}"
        layout.adopt(target)
    return ""


def _import_options(options: Mapping[str, Any], *, known: bool) -> ImportOptions:
    priority = options["priority"]
    return ImportOptions(
        dataset=options["dataset"],
        priority=LOWEST_PRIORITY if priority is None and not known else priority,
        confirm=options["confirm"],
        allow_older=True,  # its version is the newest time of a file, and an older package is what is installed now
        force=options["force"],
    )
