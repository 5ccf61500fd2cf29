"""Whoever looks at a page: what they may see, and how names and links read to them."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from markupsafe import Markup

from sandbox.access import may_see
from sandbox.state import Channel, ChannelKind, Person, Workspace


@dataclass(frozen=True, slots=True)
class Viewer:
    """One person at the browser."""

    workspace: Workspace
    person: Person

    def sees(self, channel: Channel) -> bool:
        return may_see(self.person, channel, self.workspace.team.id)

    def name_of(self, user_id: str) -> str:
        person = self.workspace.people.get(user_id)
        return person.shown_name if person else user_id

    def mention_of(self, user_id: str) -> str:
        person = self.workspace.people.get(user_id)
        return f"@{person.shown_name}" if person else f"@{user_id}"

    def title_of(self, channel: Channel) -> str:
        """How a conversation is called: `#infra`, or the people in it besides the viewer."""
        if channel.kind in (ChannelKind.PUBLIC, ChannelKind.PRIVATE):
            return f"#{channel.name}"
        others = [member for member in channel.members if member != self.person.id]
        return ", ".join(self.name_of(member) for member in others) or self.person.shown_name

    def channel_link(self, channel_id: str) -> Markup:
        """A channel's name as a link, or a fixed word when the viewer may not know it."""
        channel = self.workspace.channels.get(channel_id)
        if channel is None or not self.sees(channel):
            return Markup('<span class="mention">private channel</span>')
        return Markup('<a class="mention" href="{}">{}</a>').format(self.place(channel), self.title_of(channel))

    def place(self, channel: Channel, thread_ts: str = "") -> str:
        """The address of a conversation, and of a thread in it, for this viewer."""
        thread = f"&thread={thread_ts}" if thread_ts else ""
        return f"/client/{channel.id}?as={self.person.id}{thread}"

    def link(self, url: str, label: str | Markup) -> Markup:
        """A link that is safe to show; those within the sandbox stay with this viewer."""
        scheme = urlsplit(url).scheme.lower()
        if scheme not in ("http", "https", "mailto"):
            return Markup("{}").format(label)
        if url.startswith(self.workspace.url):
            return Markup('<a href="{}">{}</a>').format(self.own_address(url), label)
        return Markup('<a href="{}" target="_blank" rel="noopener noreferrer">{}</a>').format(url, label)

    def own_address(self, url: str) -> str:
        """The same address within the sandbox, with the viewer in it."""
        address, mark, fragment = url.partition("#")
        joint = "&" if "?" in address else "?"
        return f"{address}{joint}as={self.person.id}{mark}{fragment}"
