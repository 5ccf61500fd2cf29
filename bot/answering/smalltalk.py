"""Tells greetings, thanks and empty messages from questions."""

from __future__ import annotations

import re

_PLEASANTRIES = re.compile(
    r"""(?:
    hi+(?:ya)?|hey+a?|hello+|hullo|howdy|yo|sup|greetings|good\s+(?:morning|afternoon|evening|day|night)|morning|
    hallo|moin|servus|gr(?:ü|ue)(?:ß|ss)\s*gott|guten\s+(?:tag|morgen|abend)|zusammen|alle|à\s+tous|a\s+todos|
    bonjour|bonsoir|salut|coucou|hola|buenos\s+d[ií]as|buenas(?:\s+(?:tardes|noches))?|
    ol[áa]|bom\s+dia|boa\s+(?:tarde|noite)|ciao|buongiorno|buonasera|hoi|goedemorgen|hej+|hei|moi|
    cze[śs][ćc]|dzie[ńn]\s+dobry|ahoj|merhaba|selam|привет|здравствуйте|こんにちは|你好|您好|안녕(?:하세요)?|नमस्ते|namaste|
    thanks?(?:\s+(?:you|u))?|thx|ty|tysm|cheers|much\s+appreciated|appreciated?(?:\s+it)?|many|a\s+lot|lots|so\s+much|very\s+much|
    danke(?:\s+(?:sch(?:ö|oe)n|dir|euch|ihnen))?|vielen\s+dank|merci(?:\s+beaucoup)?|(?:muchas\s+)?gracias|
    (?:muito\s+)?obrigad[oa]|grazie(?:\s+mille)?|dank\s+je|bedankt|tack|kiitos|dzi[ęe]kuj[ęe]|спасибо|ありがとう|谢谢|
    ok(?:ay|ie)?|k|kk|cool|great|nice|perfect|awesome|amazing|excellent|lovely|brilliant|super|wow|sweet|
    got\s+it|i\s+see|understood|makes\s+sense|sounds\s+good|will\s+do|alright|all\s+right|sure|fine|yes|yep|yeah|no|nope|
    that(?:['’]?s|\s+is)\s+(?:great|helpful|perfect|awesome|good|all|it|very\s+helpful)|(?:very\s+)?helpful|
    (?:good|great|nice)\s+(?:job|work|bot|one|answer)|well\s+done|love\s+it|
    bye+|goodbye|see\s+(?:you|ya)(?:\s+(?:later|soon|tomorrow))?|later|cya|tsch(?:ü|ue)ss|
    how\s+are\s+(?:you|things)(?:\s+(?:doing|today))*|how['’]?s\s+it\s+going|what['’]?s\s+up|how\s+do\s+you\s+do|nice\s+to\s+meet\s+you|
    are\s+you\s+(?:there|alive|here|awake|up|online|working|a\s+(?:bot|robot|human))|
    (?:anyone|anybody)\s+(?:there|here|home)|you\s+there|ping|test(?:ing)?|
    who\s+are\s+you|what\s+are\s+you|what\s+(?:can|do)\s+you\s+do|what\s+can\s+i\s+ask(?:\s+you)?|
    (?:(?:don['’]?t|do\s+not)\s+use|stop\s+using|leave\s+out)\s+my\s+(?:messages|posts|words)|opt\s+(?:me\s+)?out|
    how\s+do\s+you\s+work|help(?:\s+me)?(?:\s+please)?|
    there|again|today|everyone|everybody|all|team|folks|guys|friends?|y['’]?all|mate|buddy|bot|footnote|please|a\s+bunch|for\s+(?:the|your)\s+help|to\s+you
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_EMOJI_NAME = re.compile(r":[a-z0-9_+'-]+:", re.IGNORECASE)
_NO_WORD = re.compile(r"[^\w']+")


def is_small_talk(text: str) -> bool:
    """Whether nothing is asked: a greeting, thanks, agreement, emoji, a question about Footnote itself, or no word."""
    rest = _NO_WORD.sub(" ", _EMOJI_NAME.sub(" ", text).replace("’", "'")).strip()
    while rest:
        found = _PLEASANTRIES.match(rest)
        if not found or (found.end() < len(rest) and not rest[found.end()].isspace()):
            return False
        rest = rest[found.end() :].strip()
    return True
