"""Block Kit as HTML."""

from collections.abc import Callable
from typing import cast

from markupsafe import Markup

from sandbox.mrkdwn import Span, SpanKind
from sandbox.types import Json
from sandbox.web.text import line_html, markdown_html, mrkdwn_html
from sandbox.web.viewer import Viewer

_NOTHING = Markup("")


def blocks_html(blocks: list[Json], viewer: Viewer) -> Markup:
    """All blocks of a message, one under the other."""
    return _NOTHING.join(_block(block, viewer) for block in blocks)


def _block(block: Json, viewer: Viewer) -> Markup:
    kind = str(block.get("type"))
    show = _SHOWN.get(kind)
    if show is None:
        return Markup('<p class="note">[{}]</p>').format(kind)
    return show(block, viewer)


def objects(value: object) -> list[Json]:
    """The objects of a JSON array; nothing when it is none."""
    return [cast("Json", entry) for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _text(value: object, viewer: Viewer) -> Markup:
    """A text object: mrkdwn or plain."""
    if not isinstance(value, dict):
        return _NOTHING
    words = str(value.get("text", ""))
    return mrkdwn_html(words, viewer) if value.get("type") == "mrkdwn" else Markup("{}").format(words)


def _section(block: Json, viewer: Viewer) -> Markup:
    fields = _NOTHING.join(Markup("<div>{}</div>").format(_text(f, viewer)) for f in objects(block.get("fields")))
    grid = Markup('<div class="fields">{}</div>').format(fields) if fields else _NOTHING
    accessory = _element(cast("Json", block["accessory"]), viewer) if "accessory" in block else _NOTHING
    return Markup('<div class="section">{}{}{}</div>').format(_text(block.get("text"), viewer), grid, accessory)


def _header(block: Json, viewer: Viewer) -> Markup:
    return Markup('<h3 class="block-header">{}</h3>').format(_text(block.get("text"), viewer))


def _context(block: Json, viewer: Viewer) -> Markup:
    elements = objects(block.get("elements"))
    shown = _NOTHING.join(Markup("<span>{}</span>").format(_context_element(each, viewer)) for each in elements)
    return Markup('<div class="context">{}</div>').format(shown)


def _context_element(element: Json, viewer: Viewer) -> Markup:
    return _image(element, viewer) if element.get("type") == "image" else _text(element, viewer)


def _actions(block: Json, viewer: Viewer) -> Markup:
    shown = _NOTHING.join(_element(each, viewer) for each in objects(block.get("elements")))
    return Markup('<div class="actions">{}</div>').format(shown)


def _element(element: Json, viewer: Viewer) -> Markup:
    if element.get("type") == "feedback_buttons":
        choices = [cast("Json", element[name]) for name in ("positive_button", "negative_button")]
        return _NOTHING.join(_button(choice | {"action_id": element.get("action_id")}, viewer) for choice in choices)
    if element.get("type") == "button":
        return _button(element, viewer)
    if element.get("type") == "image":
        return _image(element, viewer)
    return Markup('<span class="note">[{}]</span>').format(str(element.get("type")))


def _button(button: Json, viewer: Viewer) -> Markup:
    label, url = _text(button.get("text"), viewer), str(button.get("url", ""))
    if url:
        return Markup('<span class="button">{}</span>').format(viewer.link(url, label))
    press = Markup('<button class="button {}" data-action="{}" data-value="{}">{}</button>')
    return press.format(button.get("style", ""), button.get("action_id", ""), button.get("value", ""), label)


def _divider(_block: Json, _viewer: Viewer) -> Markup:
    return Markup("<hr>")


def _image(block: Json, viewer: Viewer) -> Markup:
    """A picture as a link: pages fetch nothing from elsewhere."""
    return viewer.link(str(block.get("image_url", "")), f"▧ {block.get('alt_text', '')}")


def _markdown(block: Json, viewer: Viewer) -> Markup:
    return Markup('<div class="markdown">{}</div>').format(markdown_html(str(block.get("text", "")), viewer))


def _table(block: Json, viewer: Viewer) -> Markup:
    rows = cast("list[list[Json]]", block.get("rows", []))
    shown = _NOTHING.join(Markup("<tr>{}</tr>").format(_cells(row, viewer)) for row in rows)
    return Markup("<table>{}</table>").format(shown)


def _cells(row: list[Json], viewer: Viewer) -> Markup:
    return _NOTHING.join(Markup("<td>{}</td>").format(_cell(cell, viewer)) for cell in row)


def _cell(cell: Json, viewer: Viewer) -> Markup:
    return _rich_text(cell, viewer) if cell.get("type") == "rich_text" else Markup("{}").format(cell.get("text", ""))


def _task(block: Json, viewer: Viewer) -> Markup:
    links = [viewer.link(str(s.get("url", "")), str(s.get("text", ""))) for s in objects(block.get("sources"))]
    task = Markup('<div class="task"><b>{}</b> <span class="note">{}</span> {}</div>')
    return task.format(block.get("title", ""), block.get("status", ""), Markup(" · ").join(links))


def _plan(block: Json, viewer: Viewer) -> Markup:
    tasks = _NOTHING.join(_task(task, viewer) for task in objects(block.get("tasks")))
    return Markup('<div class="plan"><b>{}</b>{}</div>').format(block.get("title", ""), tasks)


def _rich_text(block: Json, viewer: Viewer) -> Markup:
    return _NOTHING.join(_rich_part(part, viewer) for part in objects(block.get("elements")))


def _rich_part(part: Json, viewer: Viewer) -> Markup:
    elements = objects(part.get("elements"))
    match part.get("type"):
        case "rich_text_list":
            tag = Markup("ol" if part.get("style") == "ordered" else "ul")
            items = _NOTHING.join(Markup("<li>{}</li>").format(_rich_line(item, viewer)) for item in elements)
            return Markup('<{0} class="indent{1}">{2}</{0}>').format(tag, part.get("indent", 0), items)
        case "rich_text_preformatted":
            return Markup("<pre>{}</pre>").format(_rich_line(part, viewer))
        case "rich_text_quote":
            return Markup("<blockquote>{}</blockquote>").format(_lines(_rich_line(part, viewer)))
    return Markup("<p>{}</p>").format(_lines(_rich_line(part, viewer)))


def _lines(shown: Markup) -> Markup:
    return Markup("<br>").join(shown.split("\n"))


def _rich_line(part: Json, viewer: Viewer) -> Markup:
    return line_html(tuple(_span(element) for element in objects(part.get("elements"))), viewer)


_TARGETS = ("url", "user_id", "channel_id", "usergroup_id", "range", "name")


def _span(element: Json) -> Span:
    kind = str(element.get("type"))
    target = next((str(element[name]) for name in _TARGETS if name in element), "")
    style = element.get("style")
    styles = frozenset(name for name, on in style.items() if on) if isinstance(style, dict) else frozenset()
    known = SpanKind(kind) if kind in list(SpanKind) else SpanKind.TEXT
    return Span(known, str(element.get("text", "")), target, styles)


_SHOWN: dict[str, Callable[[Json, Viewer], Markup]] = {
    "section": _section,
    "header": _header,
    "context": _context,
    "actions": _actions,
    "context_actions": _actions,
    "divider": _divider,
    "image": _image,
    "markdown": _markdown,
    "rich_text": _rich_text,
    "table": _table,
    "task_card": _task,
    "plan": _plan,
}
