"""Every fixed text that a person in Slack can be shown, so that they can be read, compared and translated together."""

from bot.types import Remark

REFUSAL = "I looked, but I found nothing I can use that answers this."
"""The one refusal: the same whether nothing exists or nothing may be read here."""

HELP = (
    "Ask me something that your team has written down, in a channel or in a direct message, "
    "and I'll answer with the words and a link to where they stand. For example: _how do I request time off?_"
)

FAILURE = "Sorry, something went wrong on my side and I could not answer. Please ask again in a minute. ({incident})"

NOT_FOR_GUESTS = "Sorry, I can only answer full members of this workspace."
"""Shown to the asker alone."""

ADDRESS_IN_SOURCE = "(address in the source)"
"""Stands in a written answer where the model wrote an address: only citations are links."""

MODEL_IS_DOWN = "The language model can't be used just now, so these are the words as they stand."
"""Below an answer that was to be written, and is quoted."""

PART_IS_MISSING = "I found nothing I can use on another part of the question."
"""Below an answer whose evidence leaves a part of the question open; the model's own words for that are not shown."""

REMARKS = {
    Remark.MODEL_IS_DOWN: MODEL_IS_DOWN,
    Remark.PART_IS_MISSING: PART_IS_MISSING,
}

SOURCES = "Sources"
PAGE = "page {number}"

WORKING = "is looking through what your team has written…"
"""Slack puts Footnote's name before it."""
