"""Which of the held records are gone. Pure: what can delete is decided here, and tested without a database."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

__all__ = ["find_gone"]


def find_gone(
    present: Iterable[str], held: Iterable[tuple[str, str]], *, unsure: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """The (id, repository) pairs of ``held`` whose id is not in ``present``; both must come in the order of ids.

    Nothing of a repository in ``unsure`` is gone (a record of it could not be read, decisions 5); an empty name in
    ``unsure`` stands for every repository.
    """
    if "" in unsure:
        return
    source = iter(present)
    current = next(source, None)
    for record_id, repo in held:
        while current is not None and current < record_id:
            current = next(source, None)
        if current != record_id and repo not in unsure:
            yield record_id, repo
