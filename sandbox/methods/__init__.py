"""Slack's methods, by family; the table of all of them."""

from sandbox.calls import Methods
from sandbox.methods import (
    agents,
    auth,
    changes,
    chat,
    controls,
    conversations,
    files,
    history,
    membership,
    reactions,
    streams,
    users,
    views,
)

METHODS: Methods = {
    **auth.METHODS,
    **users.METHODS,
    **conversations.METHODS,
    **membership.METHODS,
    **history.METHODS,
    **chat.METHODS,
    **streams.METHODS,
    **reactions.METHODS,
    **files.METHODS,
    **views.METHODS,
    **agents.METHODS,
    **controls.METHODS,
    **changes.METHODS,
}
