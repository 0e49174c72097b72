"""``explain``: from a pasted message, log or stack trace to the records of its errors."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand

from kb.cli.explain_github import explain_github
from kb.cli.explain_input import decoded, read_input
from kb.cli.explain_sources import Answer, Asked, CannotExplain, LocalCatalog, Server, Source
from kb.cli.explain_text import again_text, report_text
from kb.cli.following import ended_texts, follow_file, follow_pipe
from kb.cli.interruption import interruptible
from kb.cli.running import CANNOT_RUN, NOT_FOUND, run_command
from kb.cli.sites import SERVER_HELP
from kb.cli.terminal import printed, shown, style_for
from kb.matching.answers import Context

__all__ = ["Command"]

FOUND, FAILED, USAGE, NOTHING = 0, 1, 2, 3
_MOST_MATCHES = 20
_LONGEST = 500


class Command(BaseCommand):
    """See ``help``."""

    help = (
        "Explain an error: from a message, log or stack trace to its record. FILE is a text file; without it, standard "
        "input is read. After -- comes a command to run: its output passes through and is explained if it fails. "
        "Exit codes: 0 found, 1 failed, 2 wrong usage, 3 nothing found; with a command, that command's."
    )
    requires_system_checks = ()  # a server may be asked where there is no catalog

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._command: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        """Keeps what comes after ``--`` out of the hands of the option parser."""
        if "--" in argv:
            place = argv.index("--")
            argv, self._command = argv[:place], argv[place + 1 :]
            if not self._command:
                self.stderr.write("After -- comes the command to run.")
                sys.exit(USAGE)
        super().run_from_argv(argv)

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("file", nargs="?", metavar="FILE", help="a text file, or - for standard input")
        parser.add_argument("--follow", action="store_true", help="go on as the file grows, or line by line")
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="print the answer of the API, one object on a line")
        form.add_argument("--github", action="store_true", help="print annotations of GitHub Actions")
        form.add_argument("--markdown", action="store_true", help="print Markdown")
        parser.add_argument(
            "--limit", type=_limit, default=5, metavar="N", help="matches an error has at most (default: %(default)s)"
        )
        for name, what in (("package", "NAME"), ("repository", "OWNER/NAME"), ("language", "NAME")):
            parser.add_argument(
                f"--{name}", action="append", default=[], metavar=what, help=f"a {name} in use; may be repeated"
            )
        parser.add_argument("--server", metavar="URL", help=SERVER_HELP)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Explains, and exits with the code."""
        source = self._source(options)
        if self._command and (options["file"] or options["follow"]):
            self._give_up("a command is run instead of reading a file", USAGE)
        printer = _Printer(self, options)
        if self._command:
            sys.exit(self._run(source, printer))
        with interruptible() as interruption:
            try:
                code = self._follow(source, printer) if options["follow"] else self._read(source, printer)
            except KeyboardInterrupt:
                code = interruption.exit_code
        if code:
            sys.exit(code)

    def _source(self, options: dict[str, Any]) -> Source:
        address = settings.KB_SERVER if options["server"] is None else options["server"]
        if not address:
            return LocalCatalog()
        try:
            return Server(address)
        except ValueError as problem:
            self._give_up(f"--server: {problem}", USAGE)

    def _read(self, source: Source, printer: _Printer) -> int:
        name = printer.options["file"] or "-"
        try:
            text, left_out = read_input(name)
            if left_out:
                self.stderr.write("The text is long: its end was read. For whole logs there is: faultbook scan")
            answer = source.explain(text, printer.asked)
        except (OSError, CannotExplain) as problem:
            self._give_up(_told(problem, name), FAILED)
        printer.whole(answer)
        return FOUND if answer.found else NOTHING

    def _follow(self, source: Source, printer: _Printer) -> int:
        name = printer.options["file"] or "-"
        try:
            for text in ended_texts(_pieces(name)):
                answer = source.explain(text, printer.asked)
                printer.part(answer)
        except (OSError, CannotExplain) as problem:
            self._give_up(_told(problem, name), FAILED)
        return FOUND if printer.seen else NOTHING

    def _run(self, source: Source, printer: _Printer) -> int:
        """Runs the command; its status stands whatever becomes of the explanation, which goes to standard error."""
        try:
            status, output = run_command(self._command)
        except OSError as problem:
            self.stderr.write(printed(_told(problem, self._command[0]), sys.stderr))
            return NOT_FOUND if isinstance(problem, FileNotFoundError) else CANNOT_RUN
        if status:
            try:
                printer.whole(source.explain(decoded(output), printer.asked), beside=True)
            except CannotExplain as problem:
                self.stderr.write(printed(_told(problem, ""), sys.stderr))
        return status

    def _give_up(self, reason: str, code: int) -> NoReturn:
        self.stderr.write(printed(reason, sys.stderr))
        sys.exit(code)


class _Printer:
    """Prints answers in the form that was asked for."""

    def __init__(self, command: Command, options: dict[str, Any]) -> None:
        self._command = command
        self.options = options
        self.seen: Counter[str] = Counter()
        context = Context(
            packages=tuple(options["package"]),
            repositories=tuple(options["repository"]),
            languages=tuple(options["language"]),
        )
        self.asked = Asked(limit=options["limit"], context=context)

    def whole(self, answer: Answer, *, beside: bool = False) -> None:
        """All of an answer; ``beside`` on standard error."""
        text = self._formatted(answer)
        if not text and not self.options["github"]:  # which has no words for nothing
            text = self._text(answer, beside=beside)
        if not text:
            return
        self._write(f"\n{text}" if beside else text, beside=beside)

    def part(self, answer: Answer) -> None:
        """What is new in an answer, if anything was found."""
        if not answer.found:
            return
        formatted = self._formatted(answer)
        if formatted:
            self.seen.update(match.id for match in _best(answer))
            self._write(formatted)
            return
        report = answer.report()
        sections = [section for section in report.sections if section.confidence]
        ids = [section.card.match.id for section in sections if section.card]
        known = all(self.seen[found] for found in ids)
        self.seen.update(ids)
        style = style_for(self._command.stdout, color=self._color())
        if known:
            for section in sections:
                if section.card:
                    self._write(again_text(section, self.seen[section.card.match.id], style))
            return
        self._write(report_text(report, style, base_url=answer.base_url, found_only=True) + "\n")

    def _formatted(self, answer: Answer) -> str:
        if self.options["json"]:
            return json.dumps(json.loads(answer.make_json()))  # in ASCII, which every terminal and every pipe takes
        if self.options["github"]:
            faults = tuple(told.fault for told in answer.explanation.faults)
            return explain_github(answer.report(), faults, base_url=answer.base_url, directory=Path.cwd())
        return answer.markdown() if self.options["markdown"] else ""

    def _text(self, answer: Answer, *, beside: bool) -> str:
        stream = self._command.stderr if beside else self._command.stdout
        return report_text(answer.report(), style_for(stream, color=self._color()), base_url=answer.base_url)

    def _color(self) -> bool | None:
        if self.options.get("no_color"):
            return False
        return True if self.options.get("force_color") else None

    def _write(self, text: str, *, beside: bool = False) -> None:
        stream: Any = sys.stderr if beside else self._command.stdout
        stream.write(printed(text.rstrip("\n") + "\n", stream))
        stream.flush()


def _best(answer: Answer) -> Iterator[Any]:
    return (fault.matches[0] for fault in answer.explanation.faults if fault.matches)


def _pieces(name: str) -> Iterator[bytes]:
    return follow_pipe(sys.stdin.fileno()) if name == "-" else follow_file(Path(name))


def _told(problem: Exception, name: str) -> str:
    if isinstance(problem, OSError):
        return f"{shown(name, _LONGEST)}: {problem.strerror or problem}"
    return shown(str(problem), _LONGEST)


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:9]) <= _MOST_MATCHES:
        raise ArgumentTypeError(f"from 1 to {_MOST_MATCHES}")
    return int(text)
