"""Finds the people and channels that somebody names at the terminal."""

from __future__ import annotations

from bot.errors import SlackError, UsageError
from bot.slack.workspace import Workspace
from bot.types import Conversation, Person


def person_named(words: str, workspace: Workspace) -> Person:
    """Somebody by id, name or handle.

    Raises:
        UsageError: nobody is called so, or several are.
    """
    name = words.removeprefix("@")
    found = [person for person in workspace.people() if _is_called(person, name)]
    if not found and name[:1] in {"U", "W"} and name.isupper():
        return _by_id(name, workspace)
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"Nobody in the workspace is called {words}: give a name as Slack shows it, or a user id.")
    raise UsageError(f"Several people are called {words}: give one of the user ids {', '.join(p.id for p in found)}.")


def channel_named(words: str, workspace: Workspace) -> Conversation:
    """A channel by id or name, of those that Footnote is in and the public ones.

    Raises:
        UsageError: there is none.
    """
    name = words.removeprefix("#")
    known = {channel.id: channel for channel in (*workspace.public_channels(), *workspace.joined())}
    for channel in known.values():
        if name in (channel.id, channel.name):
            return channel
    raise UsageError(f"Footnote is in no channel {words}: give the name of one that it is in, or its id.")


def _is_called(person: Person, name: str) -> bool:
    return person.id == name or name.casefold() in (person.name.casefold(), person.handle.casefold())


def _by_id(user_id: str, workspace: Workspace) -> Person:
    """Somebody who isn't listed in the workspace, such as a member of another organisation."""
    try:
        return workspace.person(user_id)
    except SlackError as error:
        raise UsageError(f"Slack knows nobody with the id {user_id} ({error.code}).") from error
