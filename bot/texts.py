"""Every fixed text that a person in Slack can be shown, so that they can be read, compared and translated together."""

from bot.types import Admission, ConversationKind, Remark

REFUSAL = "I looked, but I found nothing I can use that answers this."
"""The one refusal: the same whether nothing exists or nothing may be read here."""

HELP = (
    "Ask me something that your team has written down, in a channel or in a direct message, "
    "and I'll answer with the words and a link to where they stand. For example: _how do I request time off?_"
)

FAILURE = "Sorry, something went wrong on my side and I could not answer. Please ask again in a minute. ({incident})"

NOT_FOR_GUESTS = "Sorry, I can only answer full members of this workspace."
NOT_FOR_OUTSIDERS = "Sorry, I can only answer members of the workspace that added me to this channel."

TURNED_AWAY = {
    Admission.TOLD_NO: NOT_FOR_GUESTS,
    Admission.OUTSIDER_TOLD_NO: NOT_FOR_OUTSIDERS,
}
"""What whoever isn't answered is told, alone; nothing where it is none of these."""

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

PART_REMOVED = (
    "Something that stood here was removed: what it rested on was changed or deleted, or not everybody here may read "
    "it."
)
"""In an answer of which a part may no longer stand; the same whatever the reason."""

REMOVED = "This answer was removed: what it rested on was changed or deleted, or not everybody here may read it."
"""In place of an answer of which nothing may stand any more; the same whatever the reason."""

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

NOTICE_HELLO = "Hello! I'm Footnote: I answer questions from what your team has written, with links to where it stands."
NOTICE_READS = (
    "I read what is written here, from the first message on, with threads and the files that are shared here."
)
NOTICE_READERS = {
    ConversationKind.PUBLIC: (
        "Full members of this workspace can get answers from it, wherever they ask me, because each of them can open "
        "it."
    ),
    ConversationKind.PRIVATE: (
        "Only people who are in this channel get answers from it: here, and when they write to me alone."
    ),
    ConversationKind.GROUP_DM: (
        "Only the people in this group message get answers from it: here, and when they write to me alone."
    ),
}
"""Who gets answers from a channel that is shared with nobody."""
NOTICE_SHARED = (
    "This channel is shared with other organisations. What I answer here comes from this channel alone, and everybody "
    "in it sees it, people of the other organisations too. Members of my own workspace who are in it also get answers "
    "from it when they write to me alone."
)
NOTICE_QUOTES = "Answers repeat what was written here, with its author's name and a link."
NOTICE_MODEL = (
    "Answers are written by a language model at {host}: the question, its thread and the passages that were found are "
    "sent there."
)
NOTICE_NEVER_TO_MODEL = "Nothing that stands in this channel is sent to a language model; it is quoted as it stands."
NOTICE_NO_MODEL = "Nothing is sent to a language model; what was written is quoted as it stands."
NOTICE_STOP = (
    "Any full member of my workspace who is in here can stop this with a button below, or by removing me. And "
    "everybody can keep their own messages out of it: with the last button, or in my Home tab."
)
NOTICE_LEFT_OUT = (
    "I don't read this channel: {name} decided that. Nothing in it is used for answers. Any full member of my "
    "workspace who is in it can change that."
)
NOTICE_CLOSED = (
    "I don't answer in this channel: {name} decided that. Any full member of my workspace who is in it can change that."
)

LEAVE_OUT = "Don't read this channel"
READ_AGAIN = "Read this channel again"
KEEP_FROM_MODEL = "Never send this channel to a model"
GIVE_TO_MODEL = "A model may be sent this channel"
ALLOW = "Answer here"
CLOSE = "Don't answer here"
SOMEBODY = "somebody"
"""Whose name can't be found."""

SHARED_OFFER = (
    "This channel is shared with other organisations, so I say nothing here until a member of my workspace who is in "
    "it allows it. What I answer here would come from this channel alone, and everybody in it would see it, people of "
    "the other organisations too."
)
"""To the member alone who mentioned or invited Footnote."""
SHARED_SINCE = "With whom this channel is shared has changed since it was decided that I may answer here."
STAYS_SILENT = "I say nothing in this channel. That can be changed in my Home tab."
NOT_YOURS_TO_DECIDE = "Sorry, only full members of this workspace who are in the channel can decide that."
"""To whoever pressed, alone; the same for guests, for others and for what can't be found."""

HOME_HELP = "_In a channel, mention me. Here, write to me under “Messages”._"
MINE = "**Your own messages**"
MINE_ARE_USED = (
    "What you write in channels that I read can be quoted in answers, with your name and a link, to those who could "
    "open it anyway."
)
MINE_ARE_UNUSED = "What you write is not used for answers. What you ask me is answered as before."
MINE_ARE_LEAVING = "I am reading the channels again, so that nothing that you wrote stays in my index."
LEAVE_MINE_OUT = "Don't use my messages"
USE_MINE = "Use my messages"
MINE_LEFT_OUT = "From now on your messages are not used for answers."
MINE_USED = "From now on your messages can be used for answers."

CHANNELS = "**Channels that you are in and that I have been invited to**"
NO_CHANNELS = "There are none yet."
GROUP_MESSAGE = "Group message: {names}"
CHANNEL_IS_READ = "read"
CHANNEL_IS_LEFT_OUT = "not read"
CHANNEL_IS_WITHHELD = "never sent to a language model"
CHANNEL_IS_ALLOWED = "shared with other organisations, and I answer in it"
CHANNEL_IS_SILENT = "shared with other organisations, and I say nothing in it"
NEXT_PAGE = "More channels"
FIRST_PAGE = "First channels"
