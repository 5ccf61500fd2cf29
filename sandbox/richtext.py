"""Makes the rich text block that Slack puts on what people write."""

from sandbox.mrkdwn import Part, PartKind, Span, SpanKind, parts
from sandbox.types import Json

_ELEMENT_OF = {
    PartKind.PARAGRAPH: "rich_text_section",
    PartKind.CODE: "rich_text_preformatted",
    PartKind.QUOTE: "rich_text_quote",
}
_TARGET_OF = {
    SpanKind.LINK: "url",
    SpanKind.USER: "user_id",
    SpanKind.CHANNEL: "channel_id",
    SpanKind.USERGROUP: "usergroup_id",
    SpanKind.BROADCAST: "range",
    SpanKind.EMOJI: "name",
}


def rich_text_blocks(text: str) -> list[Json]:
    """The blocks of a person's message with this mrkdwn; none when there is no text."""
    if not text:
        return []
    elements = [_part(part) for part in parts(text)]
    return [{"type": "rich_text", "block_id": f"b{len(text)}", "elements": elements}]


def _part(part: Part) -> Json:
    if part.kind in (PartKind.BULLETS, PartKind.NUMBERS):
        items = [{"type": "rich_text_section", "elements": [_span(span) for span in line]} for line in part.lines]
        style = "bullet" if part.kind is PartKind.BULLETS else "ordered"
        return {"type": "rich_text_list", "style": style, "indent": part.indent, "border": 0, "elements": items}
    elements: list[Json] = []
    for number, line in enumerate(part.lines):
        elements += [{"type": "text", "text": "\n"}] if number else []
        elements += [_span(span) for span in line]
    return {"type": _ELEMENT_OF[part.kind], "elements": elements}


def _span(span: Span) -> Json:
    element: Json = {"type": str(span.kind)}
    if span.kind in _TARGET_OF:
        element[_TARGET_OF[span.kind]] = span.target
    if span.kind is SpanKind.TEXT or (span.kind is SpanKind.LINK and span.text):
        element["text"] = span.text
    if span.styles:
        element["style"] = dict.fromkeys(sorted(span.styles), True)
    return element
