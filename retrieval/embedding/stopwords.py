"""Words too common to tell passages apart, and the words that only make a sentence a question."""

from __future__ import annotations

_ENGLISH = """
a about above after again against all also am an and any are aren't as at be because been before being below between
both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from
further had hadn't has hasn't have haven't having he her here hers herself him himself his i if in into is isn't it
its itself just let's many me more most much mustn't my myself no nor not of off on once only or other ought our ours
ourselves out over own same shall she should shouldn't so some such than that the their theirs them themselves then
there these they this those through to too under until up upon us very was wasn't we were weren't will with won't
would wouldn't you your yours yourself yourselves
"""
_ENGLISH_QUESTIONS = """
how what what's when where where's which who who's whom whose why tell explain please anybody anyone someone know
"""

STOP_WORDS = {"english": frozenset(f"{_ENGLISH} {_ENGLISH_QUESTIONS}".split())}
"""By language; one without a list relies on inverse document frequencies alone."""
