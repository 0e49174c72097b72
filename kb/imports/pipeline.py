"""The import, stage by stage: look whether the source changed, read it into staging, judge what would go, publish."""

from __future__ import annotations

import collections
import functools
import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from django.conf import settings

import kb.records
from kb.catalog.registry import held_by, is_taken_back, was_taken_back
from kb.imports.diff import find_gone
from kb.imports.disk import Extent, check_space
from kb.imports.guards import is_older, shrinkage
from kb.imports.options import ImportOptions, ImportReport
from kb.imports.progress import ProgressReporter
from kb.imports.publishing import Publication, publish
from kb.imports.recognized import Notes, Recognized
from kb.imports.refusals import Held, Refusal
from kb.imports.session import Session, conduct
from kb.imports.sources.documents import Source
from kb.imports.sources.opening import open_source, shown_source

__all__ = ["run_import"]


def run_import(
    sources: Sequence[str | Path],
    options: ImportOptions,
    *,
    progress: ProgressReporter | None = None,
    shown: str = "",
) -> ImportReport:
    """Imports the sources as one release of one dataset, and says what came of it. Never raises; see
    :func:`kb.imports.session.conduct`. ``shown`` is what a single file is called, where its path is nobody's concern.
    """
    names = [str(source) for source in sources]

    def work(session: Session) -> None:
        with ExitStack() as opened:
            found = []
            for name in names:
                source = open_source(name, shown=shown)
                opened.callback(source.close)
                found.append(source)
            _Import(session=session, sources=found).run()

    report = ImportReport(dataset=options.dataset)
    called = [shown] if shown else [shown_source(name) for name in names]
    return conduct(work, names=called, options=options, report=report, progress=progress)


@dataclass(kw_only=True)
class _Import:
    """One import, as a proposal to publish."""

    session: Session
    sources: Sequence[Source]
    complete: bool = False

    def run(self) -> None:
        """Every stage, or none after the first when the source is known to be the same. Raises ``Refusal``."""
        self._check_taken_back()
        if self._is_unchanged():
            self.session.close_unchanged()
            return
        path = Path(settings.KB_DATA_DIR) / "cache" / "recognized" / str(self.session.ledger.dataset.pk)
        notes = Notes(path, program=_program())
        try:
            self._read(path, notes)
            self._check_version()
            publish(self.session, self)
            if self.complete and not self.session.options.dry_run:
                notes.keep(unknown=sorted(self.session.intake.unknown_fields))
        finally:
            notes.drop()

    # -- before reading --------------------------------------------------------------------------------------------

    def _check_taken_back(self) -> None:
        """Raises ``Refusal`` for the very sources of a release that was rolled back: the next update would otherwise
        bring back what was taken back. Sources need no version to be recognized so.
        """
        kept = self.session.ledger.dataset.remembered.get("takenBack")
        if not kept or self.session.options.force or not is_taken_back(kept["release"]):
            return
        if len(kept["sources"]) != len(self.sources):
            return
        pairs = zip(self.sources, kept["sources"], strict=True)
        if all(source.unchanged(memory) for source, memory in pairs):
            message = f"it is what release {kept['release']} read, which was rolled back (--force)"
            raise Refusal("rolled_back", self.sources[0].name, message)

    def _is_unchanged(self) -> bool:
        """Whether the last whole reading saw the same sources with the same options; then its counts stand again."""
        session, options = self.session, self.session.options
        dataset = session.ledger.dataset
        kept = dataset.remembered
        ranks = (options.priority, dataset.priority), (options.trusted, dataset.trusted)
        same = (
            not options.force
            and kept.get("program") == _program()
            and kept.get("complete") == options.complete
            and len(kept.get("sources", ())) == len(self.sources)
            and all(wanted in {None, held} for wanted, held in ranks)
            and not (options.strict and kept["rejected"])
            and kept["rejected"] <= options.max_rejects
        )
        if not same:
            return False
        for source, memory in zip(self.sources, kept["sources"], strict=True):
            session.progress.phase(f"Looking at {source.name}")
            if not source.unchanged(memory):
                return False
        report = session.report
        report.dataset_version, report.unchanged = kept["version"], kept["records"]
        report.rejected_before = kept["rejected"]
        report.notices.append("The source is the same as at the last reading.")
        if kept["rejected"]:
            report.notices.append(f"What was rejected then is told in release {kept['release']}.")
        return True

    def _memory(self) -> dict[str, Any]:
        """What the next import recognizes the sources by. A slug that is taken today may be free the next time, so
        a source with such a rejection is always read.
        """
        session = self.session
        if session.intake.problem_counts["slug_taken"]:
            return {}
        memories = [source.memory() for source in self.sources]
        if not all(memories):
            return {}
        return {
            "program": _program(),
            "complete": session.options.complete,
            "sources": memories,
            "version": session.report.dataset_version,
            "records": sum(session.intake.staging.counts().values()),
            "rejected": session.intake.rejected,
            "release": session.ledger.release.pk,
        }

    # -- reading ---------------------------------------------------------------------------------------------------

    def _read(self, path: Path, notes: Notes) -> None:
        session, intake = self.session, self.session.intake
        intake.notes = notes
        if not session.options.force:
            intake.recognized = Recognized.load(path, program=_program())
        for source in self.sources:
            source.prepare(session.progress)
        check_space(Extent(waiting=sum(source.expected or 0 for source in self.sources)))
        for source in self.sources:
            session.progress.phase(f"Reading {source.name}", source.expected)
            session.intake.read(source)
            session.report.dataset_version = max(session.report.dataset_version, source.version)
            session.intake.notices += source.notices
        shaped = all(source.complete for source in self.sources)
        self.complete = shaped if session.options.complete is None else session.options.complete

    def _check_version(self) -> None:
        session = self.session
        version, dataset = session.report.dataset_version, session.ledger.dataset
        if not self.complete or not version:
            return
        if is_older(version, dataset.version) and not session.options.allow_older:
            message = f"its version {version} is older than {dataset.version}, which is held (--allow-older)"
            raise Refusal("older_version", self.sources[0].name, message)
        taken_back = was_taken_back(dataset, version)
        if taken_back is not None and not session.options.force:
            message = f"its version {version} was release {taken_back}, which was rolled back (--force)"
            raise Refusal("rolled_back", self.sources[0].name, message)

    # -- the proposal ----------------------------------------------------------------------------------------------

    def begin(self, publication: Publication) -> None:
        """Repositories and articles."""
        publication.put_repositories(list(self.session.intake.repositories.values()))
        publication.put_articles(list(self.session.intake.articles.values()), complete=self.complete)

    def gone(self) -> list[str]:
        """The ids that the dataset no longer has: none unless the source is complete. Raises ``Held``."""
        intake = self.session.intake
        if not self.complete:
            return []
        unsure = intake.staging.unsure()
        if unsure:
            where = "any repository" if "" in unsure else ", ".join(sorted(unsure)[:10])
            intake.notices.append(f"Nothing was retired in {where}: a record there has no readable id.")
        held: collections.Counter[str] = collections.Counter()
        lost: collections.Counter[str] = collections.Counter()
        gone = []

        for record_id, repo in find_gone(intake.staging.ids(), self._held(held), unsure=unsure):
            gone.append(record_id)
            lost[repo] += 1
        problem = shrinkage(lost, held)
        if problem and not self.session.options.confirm:
            raise Held(f"{problem}. If that is right, import it again with --confirm")
        return gone

    def _held(self, counts: collections.Counter[str]) -> Any:
        for record_id, repo in held_by(self.session.ledger.dataset):
            counts[repo] += 1
            yield record_id, repo

    def conclude(self, publication: Publication) -> None:
        """What the release says of its dataset."""
        publication.put_dataset(
            version=self.session.report.dataset_version,
            complete=self.complete,
            source=self.session.ledger.release.source,
            remembered=self._memory(),
        )


@functools.cache
def _program() -> str:
    """The version of this program and a digest of its rules: others may accept what these reject."""
    digest = hashlib.sha256(metadata.version("faultbook").encode())
    for file in sorted(Path(kb.records.__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
