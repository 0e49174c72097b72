"""``{% load translations %}``: Django's ``i18n``, its ``{% translate "words" %}`` faster, as each is looked up once.

A record's page has some sixty of them, and asking the catalogs of messages for each took a tenth of its time.
"""

from __future__ import annotations

from typing import Any

from django import template
from django.template.base import FilterExpression, Parser, Token, Variable
from django.template.context import Context
from django.templatetags import i18n

from kb.present.language import spoken

register = template.Library()
register.tags.update(i18n.register.tags)
register.filters.update(i18n.register.filters)


class KeptTranslateNode(i18n.TranslateNode):
    """A text that follows from the language alone."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._kept: dict[str, str] = {}

    def render(self, context: Context) -> str:
        """The translation. Outside of a language of ours it is looked up each time."""
        language = spoken()
        if not language:
            return super().render(context)
        kept = self._kept.get(language)
        if kept is None:
            kept = self._kept[language] = super().render(context)
        return kept


@register.tag("translate")
@register.tag("trans")
def translate(parser: Parser, token: Token) -> i18n.TranslateNode:
    """``{% translate "words" %}``, also with ``context``; what depends on variables is Django's own."""
    node = i18n.do_translate(parser, token)
    fixed = node.asvar is None and _is_fixed(node.filter_expression)
    if not fixed or (node.message_context is not None and not _is_fixed(node.message_context)):
        return node
    return KeptTranslateNode(node.filter_expression, node.noop, None, node.message_context)


def _is_fixed(expression: FilterExpression) -> bool:
    var = expression.var
    return not expression.filters and (not isinstance(var, Variable) or var.lookups is None)
