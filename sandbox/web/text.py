"""Words as HTML: Slack's mrkdwn, and the Markdown of markdown blocks."""

import html
import re

from markdown_it import MarkdownIt
from markupsafe import Markup

from sandbox.mrkdwn import Part, PartKind, Span, SpanKind, parts, spans
from sandbox.web.emoji import picture
from sandbox.web.viewer import Viewer

_STYLE_TAGS = {"code": "code", "strike": "s", "italic": "em", "bold": "strong"}
_SLACK_FORM = re.compile(r"&lt;([@#!][^&<>]*(?:\|[^&<>]*)?)&gt;")
_CODE = re.compile(r"(<pre>.*?</pre>|<code>.*?</code>)", re.DOTALL)
_LINK = re.compile(r'<a href="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
_MARKDOWN.disable("image")


def mrkdwn_html(text: str, viewer: Viewer) -> Markup:
    """A text in Slack's own markup."""
    return Markup("").join(_part(part, viewer) for part in parts(text))


def _part(part: Part, viewer: Viewer) -> Markup:
    lines = [line_html(line, viewer) for line in part.lines]
    if part.kind is PartKind.CODE:
        return Markup("<pre>{}</pre>").format(lines[0])
    if part.kind in (PartKind.BULLETS, PartKind.NUMBERS):
        tag = Markup("ul" if part.kind is PartKind.BULLETS else "ol")
        items = Markup("").join(Markup("<li>{}</li>").format(line) for line in lines)
        return Markup('<{0} class="indent{1}">{2}</{0}>').format(tag, min(part.indent, 4), items)
    tag = Markup("blockquote" if part.kind is PartKind.QUOTE else "p")
    return Markup("<{0}>{1}</{0}>").format(tag, Markup("<br>").join(lines))


def line_html(line: tuple[Span, ...], viewer: Viewer) -> Markup:
    """One line of spans."""
    return Markup("").join(span_html(span, viewer) for span in line)


def span_html(span: Span, viewer: Viewer) -> Markup:
    """One span in its styles."""
    shown = _inner(span, viewer)
    for style, tag in _STYLE_TAGS.items():
        if style in span.styles:
            shown = Markup("<{0}>{1}</{0}>").format(Markup(tag), shown)
    return shown


def _inner(span: Span, viewer: Viewer) -> Markup:
    match span.kind:
        case SpanKind.LINK:
            return viewer.link(span.target, span.text or span.target)
        case SpanKind.USER:
            me = " me" if span.target == viewer.person.id else ""
            return Markup('<span class="mention{}">{}</span>').format(me, viewer.mention_of(span.target))
        case SpanKind.CHANNEL:
            return viewer.channel_link(span.target)
        case SpanKind.USERGROUP:
            return Markup('<span class="mention">{}</span>').format(span.text or f"@{span.target}")
        case SpanKind.BROADCAST:
            return Markup('<span class="mention me">@{}</span>').format(span.target)
        case SpanKind.EMOJI:
            return Markup("{}").format(picture(span.target))
    return Markup("{}").format(span.text)


def markdown_html(text: str, viewer: Viewer) -> Markup:
    """The Markdown of a markdown block: no raw HTML, no pictures, and Slack's mentions still work in it."""
    rendered = _MARKDOWN.render(text)
    pieces = _CODE.split(rendered)
    return Markup("").join(
        Markup(piece) if number % 2 else _with_slack_forms(piece, viewer)  # rendered with HTML off
        for number, piece in enumerate(pieces)
    )


def _with_slack_forms(rendered: str, viewer: Viewer) -> Markup:
    linked = _LINK.sub(lambda m: str(viewer.link(html.unescape(m[1]), Markup(m[2]))), rendered)
    return Markup(_SLACK_FORM.sub(lambda m: str(line_html(spans(f"<{html.unescape(m[1])}>"), viewer)), linked))
