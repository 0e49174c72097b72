"""What a site lacks because it stands in another module: its class's message and status, a constant's text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import msgspec

from kb.harvest.facts import ClassFacts, ModuleFacts, Site
from kb.harvest.lineage import Lineage
from kb.harvest.names import Names
from kb.harvest.places import is_readable
from kb.harvest.scopes import ModuleScope, Scope
from kb.harvest.statuses import status_of_class
from kb.harvest.texts import texts_of
from kb.records.messages import split_message

__all__ = ["Links"]

_PARAMETER: Final = re.compile(r"\{(?P<name>[A-Za-z_]\w*)(?P<form>(?:![rsa])?(?::[^{}]*)?)\}")
_KEYWORD: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?!=)(?P<source>.*)", re.DOTALL)
_NOWHERE: Final = Scope(ModuleScope(Names("", is_package=False), []))


class Links:
    """Completes the sites of one package from its other modules."""

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage
        self._constants = {
            f"{module.module}.{name}": text for module in lineage.modules.values() for name, text in module.constants
        }

    def complete(self, site: Site, module: ModuleFacts) -> Site:
        """The site with what the rest of the package tells about it."""
        cls = self._class_name(site.cls, module)
        changes: dict[str, object] = {} if cls == site.cls else {"cls": cls}
        if not site.message and site.wanted and (text := self._constant(site.wanted)):
            changes |= {"message": text, "message_from": "constant"}
        known = self._lineage.classes.get(self._lineage.resolve(cls)) if cls else None
        if known is not None and site.kind in {"raise", "warning", "exit"}:
            if message := self._of_class(site, known):
                changes |= {"message": message, "message_from": "class"}
            if site.status is None:
                changes["status"] = self._status(known)
        return msgspec.structs.replace(site, **changes) if changes else site

    def _class_name(self, name: str, module: ModuleFacts) -> str:
        """The name, qualified if ``from … import *`` of the module brings it."""
        if not name or "." in name:
            return name
        for local, base in module.imports:
            if local == "*" and (found := self._lineage.resolve(f"{base}.{name}")) in self._lineage.classes:
                return found
        return name

    def _constant(self, name: str) -> str:
        text = self._constants.get(name) or self._constants.get(self._lineage.resolve(name), "")
        return text if is_readable(text) else ""

    def _ancestry(self, known: ClassFacts) -> Iterator[ClassFacts]:
        yield known
        for name in self._lineage.ancestors(known.qualified):
            if name in self._lineage.classes:
                yield self._lineage.classes[name]

    def _status(self, known: ClassFacts) -> int | None:
        for cls in self._ancestry(known):
            if (status := cls.status or status_of_class(cls.qualified)) is not None:
                return status
            for base in cls.bases:
                if (status := status_of_class(base)) is not None:
                    return status
        return None

    def _of_class(self, site: Site, known: ClassFacts) -> str:
        """The message that the class makes of the site's arguments; empty when the site's own is better."""
        parameters: tuple[str, ...] = ()
        for cls in self._ancestry(known):
            parameters = parameters or cls.parameters
            if not cls.message:
                continue
            texts = _arguments(site.arguments, parameters)
            parts = [segment.text for segment in split_message(cls.message)]
            if site.message and not any(_taken(part, texts) for part in parts):
                return ""
            return "".join(_filled(part, texts) for part in parts)
        return ""


def _arguments(sources: tuple[str, ...], parameters: tuple[str, ...]) -> dict[str, str]:
    """The texts among the arguments of a call, by parameter."""
    found: dict[str, str] = {}
    for position, source in enumerate(sources):
        keyword = _KEYWORD.fullmatch(source)
        name = keyword["name"] if keyword else parameters[position] if position < len(parameters) else ""
        text = _text(keyword["source"] if keyword else source)
        if name and text:
            found[name] = text
    return found


def _text(source: str) -> str:
    if not source.lstrip("rfRFbBuU").startswith(("'", '"')):
        return ""
    try:
        return next(iter(texts_of(ast.parse(source, mode="eval").body, _NOWHERE)), "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""  # cut off in the middle


def _taken(placeholder: str, texts: dict[str, str]) -> bool:
    match = _PARAMETER.fullmatch(placeholder)
    return match is not None and match["name"] in texts


def _filled(part: str, texts: dict[str, str]) -> str:
    match = _PARAMETER.fullmatch(part)
    if match is None or match["name"] not in texts:
        return part
    text = texts[match["name"]]
    return repr(text) if match["form"].startswith("!r") and "{" not in text else text
