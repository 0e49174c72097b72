"""Records to render: one as rich as a record can be, and changes of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from markdown_it import MarkdownIt

from kb.catalog.answers import RecordRow, RecordView, RepositoryView
from kb.records.record import Record

RICH = Record(
    id="12c38bb1afed0ec1",
    repo="example-org/data.worker",
    slug="encode-metadata-not-ready",
    error_code="ERR_NOT_READY",
    error_message="metadata of {req_id} not ready after %d ms",
    message_pattern="metadata of (.+?) not ready after (.+?) ms",
    error_type="http",
    error_class="MetaError",
    http_status=504,
    severity="error",
    file_path="python/worker/encode runtime.py",
    line_number=1280,
    source_code="try:\n    wait()\nexcept TimeoutError as error:\n    raise MetaError(f'{req_id} not ready')\n",
    source_code_start=1277,
    source_code_end=1280,
    github_url="https://github.com/example-org/data.worker/blob/0132848349585cfe6aae51c4941cbae872505f8a/python/w.py#L9",
    documentation="The worker waited on `meta.wait(req_id)` for **metadata**.\n\n- one\n- two",
    trigger_scenarios="A request whose id was never registered.",
    common_situations="The preprocessor is slow; see [its guide](https://docs.example.org/slow).",
    solutions=("Retry the request", "Raise `timeout`:\n\n```python\nwait(timeout=30)\n```"),
    example_fix="# before\nwait()\n# after\nwait(timeout=30)",
    handling_strategy="retry",
    validation_code="if not meta.has(req_id):\n    sleep(1)",
    type_guard="def ready(value: object) -> bool: ...",
    try_catch_pattern="try:\n    work()\nexcept MetaError:\n    retry()",
    prevention_tips=("Publish metadata first", "Alert on lag"),
    tags=("timeout", "worker"),
    background_tag="upstream-timeout",
    analyzed_sha="0132848349585cfe6aae51c4941cbae872505f8a",
    analyzed_at="2026-08-28T05:10:05.995Z",
    content_changed_at="2026-08-27T01:00:00Z",
    extra={"origin": "hand", "sites": [{"line": 7, "function": "wait_for"}]},
)


def _view(record: Record, **changes: Any) -> RecordView:
    owner, _, name = record.repo.partition("/")
    row = RecordRow(
        id=record.id,
        repo=record.repo,
        slug=record.slug,
        error_code=record.error_code,
        error_message=record.error_message,
        error_class=record.error_class,
        error_type=record.error_type,
        severity=record.severity,
        http_status=record.http_status,
        handling_strategy=record.handling_strategy,
        family=record.background_tag,
        language="Python",
        file_path=record.file_path,
        line_number=record.line_number,
        excerpt=record.documentation[:280].replace("\n", " "),
        tags=record.tags,
        retired=changes.get("retired_revision") is not None,
        content_hash="5" * 32,
    )
    repository = RepositoryView(
        full_name=record.repo,
        owner=owner,
        name=name,
        description=None,
        language="Python",
        stars=None,
        source_files=None,
        default_branch=None,
        analyzed_sha=record.analyzed_sha,
        analyzed_at=record.analyzed_at,
        record_count=1,
        retired=False,
    )
    facts = {
        "dataset": "local",
        "dataset_version": "2026-08-28T06:17:29.519Z",
        "content_hash": "5" * 32,
        "first_revision": 1,
        "changed_revision": 3,
        "retired_revision": None,
        "retired_reason": "",
        "successor": None,
        "canonical_id": None,
        "findings": (),
        "code_key": "err-not-ready-0a1b2c" if record.error_code else None,
        "class_key": "metaerror-3d4e5f" if record.error_class else None,
        "raw": b"{}",
    }
    return RecordView(record=record, row=row, repository=repository, **(facts | changes))


@pytest.fixture(scope="session")
def record() -> Record:
    """A record in which every field says something."""
    return RICH


@pytest.fixture(scope="session")
def bare_record() -> Record:
    """The same record with every optional field empty."""
    return msgspec.structs.replace(
        RICH,
        error_code=None,
        error_class=None,
        http_status=None,
        line_number=None,
        source_code=None,
        source_code_start=None,
        source_code_end=None,
        solutions=(),
        example_fix=None,
        handling_strategy=None,
        validation_code=None,
        type_guard=None,
        try_catch_pattern=None,
        prevention_tips=(),
        tags=(),
        background_tag=None,
        content_changed_at=None,
        extra={},
    )


@pytest.fixture(scope="session")
def view_of() -> Callable[..., RecordView]:
    """``view_of(record, **catalog_facts)``: the record as the catalog answers it."""
    return _view


# What a dataset could hold to harm a page, a document or a terminal. Each must come out harmless from everything here.
HOSTILE = (
    "</script><!--<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>&lt;b&gt; &#x3c;i>",
    "\"><a href='javascript:alert(1)'>x</a>",
    "' onmouseover='alert(1)",
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt&colon;alert(1))",
    "[click](&#x6a;avascript:alert(1))",
    "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "[click](vbscript:x) <javascript:alert(1)>",
    "[click](//evil.example) [click](/e/1/) [click](\\\\evil)",
    "[a]: javascript:alert(1)\n\n[a] [b][a]",
    "![x](https://evil.example/track.png) ![y](javascript:alert(1))",
    "![[x](https://a.example)](https://b.example) wow![z](https://c.example)",
    "\\[click](javascript:alert(1)) \\\\[click](javascript:alert(1))",
    "`a` ``b` <script>` </code></pre><script>x</script>",
    "```\n</code></pre><script>alert(1)</script>\n````\n# forged\n```",
    "~~~ html\n<script>alert(1)</script>\n~~~\n# forged",
    "# forged\n\n## forged\n\nforged\n===\n\nforged\n---",
    "- a\n  # forged\n> # forged\n> > - 1. # forged",
    "    # code\n\n\t<script>",
    "---\ntitle: forged\n---\n# forged",
    "| a | b |\n| --- | --- |\n| <script> | [x](javascript:y) |",
    "a | b\n:-- | --:\n<x> | y\n\nc\n:-:\nd",
    "~~~ unclosed\n# text",
    "\\~~~ escaped\n``` unclosed",
    "1. a\n2. b\n***\n+ c\n999999999. d",
    "text `unclosed <script>alert(1)</script>",
    "**bold *both** it* <b>x</b> __init__ _a_ ~~s~~ ~~~",
    "\u202ereversed\u2066isolate\u2069 \u200bzero\u200dwidth\ufeff \u2028line\u2029paragraph \x1b[31mred\x07 \x9b0m",
    "&#x202e;entity &#0; &#x1b;[2J &nbsp;",
    "a\x00b\x0bc\x0cd\x85e\rf\r\ng",
    "x" * 100_000,
    "[" * 300,
    "*a **b " * 300,
    "> " * 500 + "deep",
    "- " * 500 + "deep",
    "`" * 1_000,
    "\n" * 6_000,
    "{" * 500 + "%s" * 500 + "${" * 500,
    "]]> ?> --> --!> <![CDATA[ <!DOCTYPE x> </textarea> </title> </style>",
    "{{ 7*7 }} {% debug %} ${7*7} <%= 7*7 %>",
    "مرحبا بالعالم שלום 👩‍👩‍👧 中文 e\u0301",
    "",
    " ",
    "\\",
    "!",
    "]",
)


@pytest.fixture(params=HOSTILE, ids=[repr(text[:40]) for text in HOSTILE])
def hostile(request: pytest.FixtureRequest) -> str:
    """One text of the corpus."""
    return str(request.param)


@pytest.fixture(scope="session")
def hostile_texts() -> tuple[str, ...]:
    """The whole corpus."""
    return HOSTILE


# --- reading what was made --------------------------------------------------------------------------------------------

_VOID = {"br", "hr", "wbr"}
_ALLOWED = {
    "a": {"aria-hidden", "aria-label", "class", "data-n", "href", "rel", "tabindex"},
    "blockquote": set(),
    "br": set(),
    "wbr": set(),
    "code": {"class", "dir"},
    "dd": set(),
    "div": {"aria-label", "class", "data-language", "role", "tabindex"},
    "dl": {"class"},
    "dt": set(),
    "em": set(),
    "hr": set(),
    "li": {"class", "data-value", "dir"},
    "mark": {"class", "data-n", "id"},
    "ol": {"start"},
    "p": {"class"},
    "pre": {"aria-label", "dir", "role", "tabindex"},
    "span": {"class", "data-n", "id", "title"},
    "strong": set(),
    "ul": {"class"},
}
_CLASS = re.compile(r"[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)*")
_OUR_PATH = re.compile(r"/(?:e|errors|codes|classes|families|tags)/[A-Za-z0-9%._~/-]*")
_LINE = re.compile(r"#[a-z]+(?:-L?\d+)?")
_FOREIGN = re.compile(r"https?://[^\s\"'<>\\]+")
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


class _Auditor(HTMLParser):
    """Reads HTML and refuses whatever this package must never write."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.words: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _ALLOWED, f"<{tag}>"
        assert not (tag == "a" and "a" in self.open), "a link in a link"
        names = [name for name, _ in attrs]
        assert set(names) <= _ALLOWED[tag], f"<{tag} {names}>"
        assert len(names) == len(set(names)), names
        for name, value in attrs:
            self._check_attribute(name, value or "")
        if tag == "a" and _FOREIGN.fullmatch(dict(attrs).get("href") or ""):
            assert dict(attrs)["rel"] == "noopener nofollow"
        if tag not in _VOID:
            self.open.append(tag)

    def _check_attribute(self, name: str, value: str) -> None:
        assert not _UNSEEN.search(value), (name, value)
        if name == "href" and not _LINE.fullmatch(value):
            assert _OUR_PATH.fullmatch(value) or _FOREIGN.fullmatch(value), value
            self.links.append(value)
        elif name == "class":
            assert _CLASS.fullmatch(value), value
        elif name == "id":
            self.ids.append(value)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another"

    def handle_data(self, data: str) -> None:
        assert not _UNSEEN.search(data), data[:200]
        self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"comment {data!r}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"declaration {decl!r}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"processing instruction {data!r}")


@dataclass(frozen=True)
class Audit:
    """What harmless HTML says: its text, its links, its ids."""

    text: str
    links: tuple[str, ...]
    ids: tuple[str, ...]


def _audit(html: str) -> Audit:
    reader = _Auditor()
    reader.feed(html)
    reader.close()
    assert not reader.open, f"left open: {reader.open}"
    assert len(set(reader.ids)) == len(reader.ids), "an id twice"
    return Audit("".join(reader.words), tuple(reader.links), tuple(reader.ids))


@pytest.fixture(scope="session")
def audit() -> Callable[[str], Audit]:
    """``audit(html)``: fails unless ``html`` is whole and holds only what this package may write; what it says."""
    return _audit


@dataclass(frozen=True)
class MarkdownAudit:
    """What a Markdown document says to a reader that knows tables and HTML: headings, code, links, all text."""

    headings: tuple[str, ...]
    blocks: tuple[str, ...]
    links: tuple[str, ...]
    text: str


def _audit_markdown(document: str) -> MarkdownAudit:
    assert not _UNSEEN.search(document), "something invisible"
    reader = MarkdownIt("commonmark", {"html": True, "maxNesting": 200}).enable(["table", "strikethrough"])
    reader.validateLink = lambda _: True  # a careless reader
    env: dict[str, Any] = {}
    headings, blocks, links, words = [], [], [], []
    tokens = reader.parse(document, env)
    assert not env.get("references"), f"link definitions {env['references']}"
    for position, token in enumerate(tokens):
        assert token.type not in {"html_block", "table_open"}, token.content[:200]
        if token.type == "heading_open":
            headings.append(f"{token.markup} {tokens[position + 1].content}")
        if token.type == "fence":
            blocks.append(token.content)
        words.append(token.content if token.block and not token.children else "")
        for child in token.children or []:
            assert child.type not in {"html_inline", "image"}, child.content[:200]
            words.append("\n" if child.type.endswith("break") else child.content)
            if child.type == "link_open":
                links.append(str(child.attrs["href"]))
        words.append("\n" if token.block else "")
    for url in links:
        assert _OUR_PATH.fullmatch(url) or _FOREIGN.fullmatch(url) or url.startswith("/api/v1/"), url
    return MarkdownAudit(tuple(headings), tuple(blocks), tuple(links), "".join(words))


@pytest.fixture(scope="session")
def audit_markdown() -> Callable[[str], MarkdownAudit]:
    """``audit_markdown(document)``: fails unless a careless reader of Markdown would come to no harm."""
    return _audit_markdown
