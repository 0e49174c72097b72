"""What a post in Markdown or HTML puts around a text: quote marks, fences, back-quotes, tags, links; pure."""

from __future__ import annotations

import re
from typing import Final

from kb.matching.reading.drafts import Draft, blocks, remove_spans

__all__ = ["MARKDOWN_SIGNS", "QUOTE_SIGNS", "strip_markdown", "strip_quotes"]

_QUOTE: Final = re.compile(r" {0,3}>(?:[ \t]|$)")
_QUOTED_SHARE: Final = 0.7
"""Below it ``>`` marks one line of a listing, as pytest, Babel and diff do."""
_DEEPEST_QUOTE: Final = 3
_FENCE: Final = re.compile(r"[ \t]*`{3,}[ \t]*(?:[\w+.#-]{0,20}[ \t]*$)?| {0,3}~{3,}[ \t]*[\w+.#-]{0,20}[ \t]*$")
_TAG: Final = re.compile(r"[ \t]*</?(?:details|summary|pre|code|samp)(?: [^<>]{0,80})?>")
_END_TAG: Final = re.compile(r"</(?:details|summary|pre|code|samp)>$")
_LINK: Final = re.compile(r"\[([^\[\]]{1,400})\]\(https?://[^()\s]{0,400}\)(?= in |:[0-9]|$)")
_MOST_TAGS: Final = 4
MARKDOWN_SIGNS: Final = ("`", "~~~", "<pre", "<code", "<detail", "<summ", "<samp", "</", "](", "**")
QUOTE_SIGNS: Final = (">",)


def strip_markdown(drafts: list[Draft], seen: set[str]) -> list[Draft]:
    """Take fences, tags and whole-line back-quotes away; a line of nothing else goes."""
    return [
        draft for draft in drafts if not any(sign in draft.text for sign in MARKDOWN_SIGNS) or _strip_line(draft, seen)
    ]


def strip_quotes(drafts: list[Draft], seen: set[str]) -> list[Draft]:
    """Take the quote marks off the blocks most of whose lines carry one."""
    for _ in range(_DEEPEST_QUOTE):
        if not any(">" in draft.text[:4] for draft in drafts):
            break
        quoted = False
        for block in blocks(drafts):
            marks = [(draft, found.end()) for draft in block if (found := _QUOTE.match(draft.text))]
            if len(marks) >= len(block) * _QUOTED_SHARE and (len(marks) > 1 or not _is_listing(block[0].text)):
                quoted = True
                for draft, end in marks:
                    draft.cut(end)
        if not quoted:
            break
        seen.add("quote")
    return drafts


def _is_listing(text: str) -> bool:
    """Whether ``>`` points at a line of source, as pytest does."""
    return text.startswith(">   ")


def _strip_line(draft: Draft, seen: set[str]) -> bool:
    """Clean one line; whether anything is left of it."""
    before = draft.text
    _strip_fence(draft)
    _strip_tags(draft)
    if draft.text.startswith("["):
        _unlink(draft)
    _unquote(draft)
    if draft.text != before:
        seen.add("markdown")
        draft.keep(len(draft.text.rstrip()))
    return bool(draft.text) or draft.text == before


def _strip_fence(draft: Draft) -> None:
    if found := _FENCE.match(draft.text):
        draft.cut(found.end())
    if draft.text.endswith("```"):
        draft.keep(len(draft.text.rstrip("`")))


def _strip_tags(draft: Draft) -> None:
    for _ in range(_MOST_TAGS):
        if found := _TAG.match(draft.text):
            draft.cut(found.end())
        elif end := _END_TAG.search(draft.text[-12:]):
            draft.keep(len(draft.text) - len(end[0]))
        else:
            return


def _unlink(draft: Draft) -> None:
    """``[path](https://…) in function``, as notebooks on the web copy, into ``path in function``."""
    if found := _LINK.match(draft.text):
        remove_spans(draft, [(0, 1), (found.end(1), found.end())])


def _unquote(draft: Draft) -> None:
    """Take the back-quotes or asterisks off that enclose the whole line."""
    body = draft.text.strip()
    for mark in ("``", "`", "**"):
        inner = body[len(mark) : -len(mark)]
        if inner and body == f"{mark}{inner}{mark}" and mark[0] not in inner:
            lead = len(draft.text) - len(draft.text.lstrip())
            draft.keep(len(draft.text.rstrip()) - len(mark))
            draft.cut(lead + len(mark))
            return
