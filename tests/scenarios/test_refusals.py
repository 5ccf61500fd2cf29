"""Nobody can tell "there is nothing" from "it is not for you": not by words, blocks, calls or the log."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from bot.evaluation.access.stage import Theatre
from bot.texts import REFUSAL
from sandbox.seed import Seed, SeedChannel, SeedMessage, SeedPerson
from tests.scenarios.company import Company, open_company, question, sentence

SEED = Seed(
    people=(SeedPerson("ann", admin=True), SeedPerson("bo"), SeedPerson("cy")),
    channels=(
        SeedChannel("hall", members=("ann", "bo")),
        SeedChannel("board", kind="private", members=("ann", "bo")),
    ),
    messages={
        "hall": (SeedMessage("ann", sentence("ladder", "heron")),),
        "board": (SeedMessage("ann", sentence("budget", "otter")),),
    },
    now=datetime(2026, 3, 2, 9, tzinfo=UTC),
)
HIDDEN, NOWHERE = "budget", "sunset"
_VARIES = re.compile(r'\d{10}\.\d{6}|"value": "[\w-]+"|"block_id": "b[0-9a-f]+"|\d+ ms|[0-9a-f]{32}')
"""Times, ids that Slack gives, and the random ids of what a button offers."""


@pytest.fixture
def company(theatre: Theatre) -> Iterator[Company]:
    """A company that Footnote has read."""
    with open_company(theatre, SEED) as company:
        yield company


def told(company: Company, who: str, topic: str, where: str, caplog: pytest.LogCaptureFixture) -> dict[str, str]:
    """All that comes of a question, without what differs from any question to the next."""
    workspace = company.stage.still.workspace
    ann = company.user("ann")
    company.stage.still.call("sandbox.calls", ann, clear=True)
    caplog.clear()
    reply = company.asks(who, topic, where)
    room = company.channel(where) if where else company.dm(who)
    posts = [message for message in room.messages.values() if message.user == workspace.app.user_id][-1:]
    calls = company.stage.still.call("sandbox.calls", ann)["calls"]
    assert isinstance(calls, list)
    every = {
        "reply": reply,
        "posts": [(post.text, post.blocks, post.attachments, post.extra) for post in posts],
        "calls": [(call["method"], call["arguments"]) for call in calls if call["user"] == workspace.app.user_id],
        "statuses": sorted(set(map(str, workspace.statuses.values()))),
        "log": [f"{record.levelname} {record.getMessage()}" for record in caplog.records if _is_ours(record)],
    }
    return {name: _VARIES.sub("…", json.dumps(one)) for name, one in every.items()}


def _is_ours(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] in ("bot", "retrieval")


@pytest.mark.parametrize(("who", "where"), [("bo", "hall"), ("cy", ""), ("cy", "hall")])
def test_nothing_there_and_not_for_you_are_the_same(
    company: Company, who: str, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The same words, blocks and buttons after the same calls to Slack, with the same lines in the log."""
    if who == "cy" and where:
        company.does("cy", "conversations.join", channel=company.channel("hall").id)
    with caplog.at_level(logging.DEBUG):
        told(company, who, "window", where, caplog)  # what is known of people and places is read once a minute
        hidden = told(company, who, HIDDEN, where, caplog)
        nowhere = told(company, who, NOWHERE, where, caplog)
    assert json.loads(hidden["reply"]) == REFUSAL
    assert {name: one for name, one in hidden.items() if one != nowhere[name]} == {}


def test_what_is_hidden_is_there_for_those_who_may_read_it(company: Company) -> None:
    """Or the other test would compare nothing with nothing."""
    assert "otter" in company.asks("bo", HIDDEN)
    assert question(HIDDEN) not in company.asks("bo", HIDDEN, "board")
