"""The lines that Slack itself writes into a conversation: joins, leaves, topics, names."""

from sandbox.calls import Call
from sandbox.state import Channel, Message, Person
from sandbox.types import Json


def post_notice(
    call: Call, channel: Channel, person: Person, subtype: str, words: str, extra: Json | None = None
) -> None:
    """Put `<@person> words` into the conversation as a message of this subtype, and say so to the app."""
    message = Message(
        ts=call.workspace.clock.next_ts(),
        user=person.id,
        text=f"<@{person.id}> {words}",
        subtype=subtype,
        extra=extra or {},
    )
    channel.add(message)
    call.feed.message_posted(channel, message)
