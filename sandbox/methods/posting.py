"""What a post may hold: reads and checks text, blocks and thread, and makes the message."""

from dataclasses import dataclass
from zlib import crc32

from sandbox.blocks import check_blocks
from sandbox.calls import Call
from sandbox.richtext import rich_text_blocks
from sandbox.state import Channel, Message
from sandbox.types import Json, Refused

LONGEST_TEXT = 40_000  # characters; Slack cuts off what is longer
LONGEST_MARKDOWN = 12_000  # Source: chat.postMessage
_MOST_ATTACHMENTS = 100  # Source: chat.postMessage


@dataclass(frozen=True, slots=True)
class Content:
    """What a post says."""

    text: str
    blocks: list[Json]
    attachments: list[Json]
    truncated: bool


def content_of(call: Call) -> Content:
    """The text, blocks and attachments of a call, refused when there is nothing to show."""
    markdown = call.args.text("markdown_text")
    text = call.args.text("text")
    blocks = call.args.objects("blocks", "invalid_blocks_format")
    attachments = call.args.objects("attachments", "invalid_attachments")
    if markdown:
        if text or blocks:
            raise Refused("markdown_text_conflict")
        if len(markdown) > LONGEST_MARKDOWN:
            raise Refused("msg_too_long")
        text, blocks = markdown, [{"type": "markdown", "text": markdown}]
    if not (text or blocks or attachments):
        raise Refused("no_text")
    if len(attachments) > _MOST_ATTACHMENTS:
        raise Refused("too_many_attachments")
    check_blocks(blocks)
    return Content(text[:LONGEST_TEXT], _with_ids(blocks), attachments, truncated=len(text) > LONGEST_TEXT)


def _with_ids(blocks: list[Json]) -> list[Json]:
    """Slack gives an id to each block that has none."""
    return [{"block_id": f"b{n}{crc32(repr(block).encode()):x}", **block} for n, block in enumerate(blocks)]


def thread_of(call: Call, channel: Channel) -> str:
    """The root's timestamp that a post goes under, empty when it goes into the conversation itself."""
    thread_ts = call.args.text("thread_ts")
    if not thread_ts:
        return ""
    root = channel.messages.get(thread_ts)
    if root is None:
        raise Refused("thread_not_found")
    if root.is_reply:
        raise Refused("cannot_reply_to_message")
    return thread_ts


def new_message(call: Call, channel: Channel, content: Content) -> Message:
    """The caller's message, not yet in the conversation."""
    person, ts = call.caller.person, call.workspace.clock.next_ts()
    message = Message(
        ts=ts,
        user=person.id,
        text=content.text,
        thread_ts=thread_of(call, channel),
        blocks=content.blocks,
        attachments=content.attachments,
    )
    if person.is_bot:
        message.bot_id, message.app_id = person.bot_id, person.app_id
    else:
        message.client_msg_id = f"{crc32(ts.encode()):08x}-0000-4000-8000-000000000000"
    message.blocks = message.blocks or rich_text_blocks(message.text)
    metadata = call.args.mapping("metadata", "invalid_metadata_format")
    if metadata:
        message.extra["metadata"] = metadata
    return message
