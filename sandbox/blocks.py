"""Checks Block Kit as Slack does: known types, required fields, lengths and counts."""

from collections.abc import Callable
from typing import cast

from sandbox.types import Json, Refused

MOST_BLOCKS = 50  # Source: Slack's limit for a message
_MARKDOWN = 12_000  # characters over all markdown blocks of one message; Source: Slack's block reference
_SECTION, _FIELDS, _FIELD = 3_000, 10, 2_000
_HEADER, _CONTEXT, _ACTIONS, _CONTEXT_ACTIONS = 150, 10, 25, 5
_BUTTON, _VALUE, _BLOCK_ID, _ACTION_ID = 75, 2_000, 255, 255
_ROWS, _CELLS = 100, 20
_OPTIONS, _OVERFLOW = 100, 5

_ELEMENTS = frozenset(
    {
        "button",
        "checkboxes",
        "radio_buttons",
        "datepicker",
        "timepicker",
        "datetimepicker",
        "static_select",
        "multi_static_select",
        "users_select",
        "multi_users_select",
        "conversations_select",
        "multi_conversations_select",
        "channels_select",
        "multi_channels_select",
        "external_select",
        "multi_external_select",
        "overflow",
        "plain_text_input",
        "image",
        "feedback_buttons",
        "icon_button",
        "workflow_button",
        "rich_text_input",
        "number_input",
        "email_text_input",
        "url_text_input",
    }
)
_IN_ACTIONS = _ELEMENTS - {"image", "feedback_buttons", "icon_button", "plain_text_input"}
_IN_CONTEXT_ACTIONS = frozenset({"feedback_buttons", "icon_button"})
_RICH_PARTS = frozenset({"rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"})


def check_blocks(blocks: list[Json], most: int = MOST_BLOCKS) -> None:
    """Refuse what Slack refuses in a message's blocks."""
    if len(blocks) > most:
        raise Refused("msg_blocks_too_many")
    for number, block in enumerate(blocks):
        _check_block(block, f"/blocks/{number}")
    markdown = sum(len(str(block.get("text", ""))) for block in blocks if block["type"] == "markdown")
    if markdown > _MARKDOWN:
        raise Refused("msg_blocks_too_long")
    ids = [block["block_id"] for block in blocks if block.get("block_id")]
    if len(ids) != len(set(ids)):
        raise _no("block_id must be unique", "/blocks")


def _no(problem: str, where: str) -> Refused:
    message = f"[ERROR] {problem} [json-pointer:{where}]"
    return Refused("invalid_blocks", {"errors": [message], "response_metadata": {"messages": [message]}})


def _check_block(block: Json, where: str) -> None:
    kind = str(block.get("type", ""))
    if kind not in _CHECKS:
        raise _no(f"unsupported type: {kind}" if kind else "missing required field: type", where)
    _text_at_most(block.get("block_id", ""), _BLOCK_ID, f"{where}/block_id")
    _CHECKS[kind](block, where)


def _text_at_most(text: object, most: int, where: str) -> str:
    if not isinstance(text, str):
        raise _no("must be a string", where)
    if len(text) > most:
        raise _no(f"must be less than {most + 1} characters", where)
    return text


def _require(block: Json, name: str, where: str) -> object:
    if name not in block:
        raise _no(f"missing required field: {name}", where)
    return block[name]


def _object(value: object, where: str) -> Json:
    if not isinstance(value, dict):
        raise _no("must be an object", where)
    return cast("Json", value)


def _array(value: object, where: str, most: int) -> list[Json]:
    if not isinstance(value, list):
        raise _no("must be an array", where)
    if not value:
        raise _no("must have at least 1 item", where)
    if len(value) > most:
        raise _no(f"no more than {most} items allowed", where)
    return [_object(entry, f"{where}/{number}") for number, entry in enumerate(value)]


def _check_text(value: object, where: str, most: int, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")) -> None:
    text = _object(value, where)
    if text.get("type") not in kinds:
        raise _no(f"must be one of {', '.join(kinds)}", f"{where}/type")
    words = _text_at_most(_require(text, "text", where), most, f"{where}/text")
    if not words:
        raise _no("must be more than 0 characters", f"{where}/text")


def _plain(value: object, where: str, most: int) -> None:
    _check_text(value, where, most, ("plain_text",))


def _check_section(block: Json, where: str) -> None:
    if "text" not in block and "fields" not in block:
        raise _no("missing required field: text or fields", where)
    if "text" in block:
        _check_text(block["text"], f"{where}/text", _SECTION)
    for number, entry in enumerate(_array(block["fields"], f"{where}/fields", _FIELDS) if "fields" in block else []):
        _check_text(entry, f"{where}/fields/{number}", _FIELD)
    if "accessory" in block:
        _check_element(_object(block["accessory"], f"{where}/accessory"), f"{where}/accessory", _ELEMENTS)


def _check_header(block: Json, where: str) -> None:
    _plain(_require(block, "text", where), f"{where}/text", _HEADER)


def _check_context(block: Json, where: str) -> None:
    elements = _array(_require(block, "elements", where), f"{where}/elements", _CONTEXT)
    for number, element in enumerate(elements):
        here = f"{where}/elements/{number}"
        if element.get("type") == "image":
            _check_image(element, here)
        else:
            _check_text(element, here, _SECTION)


def _check_actions(block: Json, where: str) -> None:
    _check_elements(block, where, _ACTIONS, _IN_ACTIONS)


def _check_context_actions(block: Json, where: str) -> None:
    _check_elements(block, where, _CONTEXT_ACTIONS, _IN_CONTEXT_ACTIONS)


def _check_elements(block: Json, where: str, most: int, kinds: frozenset[str]) -> None:
    elements = _array(_require(block, "elements", where), f"{where}/elements", most)
    for number, element in enumerate(elements):
        _check_element(element, f"{where}/elements/{number}", kinds)
    ids = [element["action_id"] for element in elements if element.get("action_id")]
    if len(ids) != len(set(ids)):
        raise _no("action_id must be unique", f"{where}/elements")


def _check_element(element: Json, where: str, kinds: frozenset[str]) -> None:
    kind = str(element.get("type", ""))
    if kind not in kinds:
        raise _no(f"unsupported type: {kind}", f"{where}/type")
    _text_at_most(element.get("action_id", ""), _ACTION_ID, f"{where}/action_id")
    if kind == "button":
        _check_button(element, where)
    elif kind == "image":
        _check_image(element, where)
    elif kind == "feedback_buttons":
        for name in ("positive_button", "negative_button"):
            _check_button(_object(_require(element, name, where), f"{where}/{name}"), f"{where}/{name}")
    elif kind in ("static_select", "multi_static_select", "radio_buttons", "checkboxes", "overflow"):
        _check_options(element, where)


def _check_button(button: Json, where: str) -> None:
    _plain(_require(button, "text", where), f"{where}/text", _BUTTON)
    _text_at_most(button.get("value", ""), _VALUE, f"{where}/value")
    _text_at_most(button.get("url", ""), _SECTION, f"{where}/url")
    _text_at_most(button.get("accessibility_label", ""), _BUTTON, f"{where}/accessibility_label")
    if button.get("style", "primary") not in ("primary", "danger"):
        raise _no("must be one of primary, danger", f"{where}/style")


def _check_options(element: Json, where: str) -> None:
    if "option_groups" in element:
        return
    most = _OVERFLOW if element["type"] == "overflow" else _OPTIONS
    for number, option in enumerate(_array(_require(element, "options", where), f"{where}/options", most)):
        here = f"{where}/options/{number}"
        _check_text(_require(option, "text", here), f"{here}/text", _BUTTON)
        _text_at_most(_require(option, "value", here), _BUTTON * 2, f"{here}/value")


def _check_image(block: Json, where: str) -> None:
    _text_at_most(_require(block, "alt_text", where), _VALUE, f"{where}/alt_text")
    if "image_url" not in block and "slack_file" not in block:
        raise _no("missing required field: image_url", where)


def _check_markdown(block: Json, where: str) -> None:
    if not _text_at_most(_require(block, "text", where), _MARKDOWN, f"{where}/text"):
        raise _no("must be more than 0 characters", f"{where}/text")


def _check_rich_text(block: Json, where: str) -> None:
    elements = _require(block, "elements", where)
    for part in elements if isinstance(elements, list) else []:
        if _object(part, where).get("type") not in _RICH_PARTS:
            raise _no("unsupported type", f"{where}/elements")


def _check_table(block: Json, where: str) -> None:
    rows = _require(block, "rows", where)
    if not isinstance(rows, list) or not 0 < len(rows) <= _ROWS:
        raise _no(f"must have 1 to {_ROWS} items", f"{where}/rows")
    if any(not isinstance(row, list) or not 0 < len(row) <= _CELLS for row in rows):
        raise _no(f"must have 1 to {_CELLS} items", f"{where}/rows")
    if any(not isinstance(cell, dict) for row in rows for cell in row):
        raise _no("must be an object", f"{where}/rows")


def _needs(*names: str) -> Callable[[Json, str], None]:
    def check(block: Json, where: str) -> None:
        for name in names:
            _require(block, name, where)

    return check


_CHECKS: dict[str, Callable[[Json, str], None]] = {
    "section": _check_section,
    "header": _check_header,
    "context": _check_context,
    "actions": _check_actions,
    "context_actions": _check_context_actions,
    "divider": _needs(),
    "image": _check_image,
    "markdown": _check_markdown,
    "rich_text": _check_rich_text,
    "table": _check_table,
    "input": _needs("label", "element"),
    "file": _needs("external_id", "source"),
    "video": _needs("video_url", "thumbnail_url", "alt_text", "title"),
    "task_card": _needs("task_id", "title"),
    "plan": _needs("title"),
    "card": _needs(),
    "carousel": _needs("elements"),
    "alert": _needs("text"),
}
