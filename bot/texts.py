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

LOOK = "Look in what only I can see"
"""On the button below every answer and refusal in a channel, always the same: it says nothing of what there is."""

SHARE = "Share where I asked"
"""On the button below what somebody was answered alone, and asked elsewhere."""

ONLY_FOR_THE_ASKER = "Sorry, only the person who asked can use this."
OFFER_IS_OLD = "Sorry, this is too old to be used. Please ask me again."
QUESTION_IS_GONE = "Sorry, I can't find that question any more, so I didn't look."

IN_OUR_DM = "our direct messages"
LOOKING = "I'm looking in everything that you can read. The answer comes in {place}."
LOOKED = "I have looked already: see {place}."
"""`place` is a link to what is in the DM, or only its words as long as nothing stands there."""

YOUR_QUESTION = "Your question"
ANSWERED_ALONE = "{question}, answered in this thread from everything that you can read:"
"""Above the question's words, in the DM; `question` is a link to where it was asked, where it was."""

CANT_BE_SHARED = "Sorry, this can't be shared there."
"""To whoever pressed, alone; it never says why."""

SHARED_BY = "Shared by @{name}, who asked me alone"
"""Above a private answer where it was shared."""

THERE = "there"
SHARED = "Everybody {place} can see it now."
"""To whoever shared, alone; `place` is a link."""

ANSWERED_IN_DM = "I'll answer you in our direct messages."
"""Slack shows it where a command was typed, to whoever typed it."""
