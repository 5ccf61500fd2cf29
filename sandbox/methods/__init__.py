"""Slack's methods, by family; the table of all of them."""

from sandbox.calls import Methods
from sandbox.methods import auth, chat, conversations, history, membership, users

METHODS: Methods = {
    **auth.METHODS,
    **users.METHODS,
    **conversations.METHODS,
    **membership.METHODS,
    **history.METHODS,
    **chat.METHODS,
}
