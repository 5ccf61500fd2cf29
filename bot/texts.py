"""Every fixed text that a person in Slack can be shown, so that they can be read, compared and translated together."""

REFUSAL = "I looked, but I found nothing I can use that answers this."
"""The one refusal: the same whether nothing exists or nothing may be read here."""

HELP = (
    "Ask me something that your team has written down, in a channel or in a direct message, "
    "and I'll answer with the words and a link to where they stand. For example: _how do I request time off?_"
)

FAILURE = "Sorry, something went wrong on my side and I could not answer. Please ask again in a minute. ({incident})"

NOT_FOR_GUESTS = "Sorry, I can only answer full members of this workspace."
"""Shown to the asker alone."""

SOURCES = "Sources"
PAGE = "page {number}"

WORKING = "is looking through what your team has written…"
"""Slack puts Footnote's name before it."""
