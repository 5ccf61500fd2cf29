"""`footnote check`: says what is configured, reachable and missing, one line each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from bot.answering.evidence import FITTED_TO
from bot.app import (
    Embedders,
    collection_of,
    open_embedders,
    open_reranker,
    open_slack,
    open_state,
    qdrant_address,
    require_room,
)
from bot.commands.parsing import Check
from bot.commands.terminal import counted, say
from bot.errors import BotError, ChatModelError
from bot.indexes import active_collection, indexed_teams, passages_of_team
from bot.llm.opening import plain_model
from bot.llm.protocol import ChatRequest
from bot.models import model_address
from bot.settings import Settings
from bot.slack.api import open_client
from bot.slack.tokens import OPTIONAL_SCOPES, granted_scopes, require_scopes, try_app_token
from bot.state.database import Database
from retrieval.embedding.dense import FastEmbedder
from retrieval.errors import RetrievalError
from retrieval.stores.collections import require_match
from retrieval.stores.served import server_version


class Verdict(Enum):
    """What a line begins with."""

    OK = "ok"
    NOTE = "note"
    """Footnote works, with less."""
    MISSING = "missing"
    """Footnote can't work so."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line."""

    verdict: Verdict
    text: str


def run(command: Check, settings: Settings) -> int:  # noqa: ARG001  # it has no options
    """Look at everything, whatever fails; 1 where the bot can't run so."""
    can_work = True
    for finding in _once(_findings(settings)):
        say(f"{finding.verdict.value:8}{finding.text}")
        can_work = can_work and finding.verdict is not Verdict.MISSING
    return 0 if can_work else 1


def _findings(settings: Settings) -> Iterator[Finding]:
    yield from _found(lambda: _data_folder(settings))
    yield from _found(lambda: _model(settings))
    yield from _language(settings)
    yield from _found(lambda: _reranker(settings))
    if settings.qdrant_url:
        yield from _found(lambda: _qdrant(settings))
    if settings.llm_url:
        yield from _found(lambda: _language_model(settings))
    yield from _found(lambda: _state_and_slack(settings))
    yield from _found(lambda: _app_token(settings))


def _once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """What several looks fail with is said once, as soon as it is known."""
    said: set[Finding] = set()
    for finding in findings:
        if finding not in said:
            said.add(finding)
            yield finding


def _found(look: Callable[[], list[Finding]]) -> list[Finding]:
    """What a look brings; what it fails with is what is missing."""
    try:
        return look()
    except (BotError, RetrievalError) as error:
        return [Finding(Verdict.MISSING, str(error))]


def _data_folder(settings: Settings) -> list[Finding]:
    folder = settings.data_folder.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        return [Finding(Verdict.MISSING, f"{folder} can't be made ({error.strerror}): set FOOTNOTE_DATA.")]
    if not os.access(folder, os.W_OK):
        return [Finding(Verdict.MISSING, f"{folder} can't be written: set FOOTNOTE_DATA, or change who owns it.")]
    if not settings.qdrant_url:
        require_room(folder)
    return [Finding(Verdict.OK, f"data folder {folder}")]


def _model(settings: Settings) -> list[Finding]:
    by = open_embedders(settings)
    return [*_embedding(by.dense), *_found(lambda: _indexes_of_others(settings, by))]


def _indexes_of_others(settings: Settings, by: Embedders) -> list[Finding]:
    """Indexes that these settings can't read, as one error that says what to do."""
    for team in indexed_teams(settings):
        wanted = collection_of(team, by)
        require_match(active_collection(settings, team) or wanted, wanted)
    return []


def _embedding(dense: FastEmbedder) -> list[Finding]:
    found = Finding(Verdict.OK, f"embedding model {dense.model}, {dense.dimension} dimensions")
    if dense.model == FITTED_TO:
        return [found]
    unfitted = "when an answer is good enough was fitted to the packaged model: with this one expect other refusals"
    return [found, Finding(Verdict.NOTE, unfitted)]


def _language(settings: Settings) -> list[Finding]:
    if settings.language == Settings().language:
        return []
    found = Finding(Verdict.OK, f"words are read as {settings.language}")
    if settings.embedding_model:
        return [found]
    english = "the packaged model knows English alone and takes too much for an answer elsewhere: set EMBEDDING_MODEL"
    return [found, Finding(Verdict.NOTE, f"{english}, to intfloat/multilingual-e5-large for one")]


def _reranker(settings: Settings) -> list[Finding]:
    reranker = open_reranker(settings)
    if reranker is None:
        return []
    unfitted = "no score of a reranker is calibrated: `footnote eval retrieval` shows whether its order helps"
    return [
        Finding(Verdict.OK, f"reranker {reranker.model}, reads {reranker.max_tokens} tokens at once"),
        Finding(Verdict.NOTE, unfitted),
    ]


def _language_model(settings: Settings) -> list[Finding]:
    """A model that fails is no reason not to run: its answers are quoted meanwhile."""
    request = ChatRequest("Reply with one word.", "Are you there?", 200)  # some think before they speak
    try:
        pieces = list(plain_model(model_address(settings)).stream(request))
    except ChatModelError as error:
        return [Finding(Verdict.NOTE, f"answers are quoted and not written: {error}")]
    if not any(piece.text.strip() for piece in pieces):
        return [Finding(Verdict.NOTE, f"language model {settings.llm_model} says nothing: choose another LLM_MODEL.")]
    return [Finding(Verdict.OK, f"language model {settings.llm_model} at {settings.llm_url}")]


def _qdrant(settings: Settings) -> list[Finding]:
    version = server_version(qdrant_address(settings))
    how = f"gRPC at port {settings.qdrant_grpc_port}" if settings.qdrant_grpc_port else "REST"
    return [Finding(Verdict.OK, f"Qdrant {version} at {settings.qdrant_url}, over {how}")]


def _state_and_slack(settings: Settings) -> list[Finding]:
    with open_state(settings) as database:
        state = Finding(Verdict.OK, f"database {'at DATABASE_URL' if settings.database_url else settings.state_url}")
        return [state, *_found(lambda: _slack(settings, database))]


def _slack(settings: Settings, database: Database) -> list[Finding]:
    if not settings.has_slack:
        return [Finding(Verdict.MISSING, "SLACK_BOT_TOKEN is not set: make the app from manifest.yml, and install it.")]
    slack = open_slack(settings, database)
    scopes = granted_scopes(slack.client)
    require_scopes(scopes)
    us = slack.workspace.identity()
    joined = len(slack.workspace.joined())
    findings = [
        Finding(Verdict.OK, f"Slack workspace {us.url} ({us.team}), scopes"),
        Finding(
            Verdict.OK if joined else Verdict.NOTE, f"in {counted(joined, 'channel')}; `/invite @footnote` adds more"
        ),
        Finding(Verdict.OK, f"index with {counted(passages_of_team(settings, us.team), 'passage')}"),
    ]
    lacking = {scope: what for scope, what in OPTIONAL_SCOPES.items() if scope not in scopes}
    unread = " and ".join(dict.fromkeys(lacking.values()))
    note = Finding(Verdict.NOTE, f"without {', '.join(lacking)}: {unread} are not read")
    return [*findings, note] if lacking else findings


def _app_token(settings: Settings) -> list[Finding]:
    if not settings.slack_app_token:
        return [Finding(Verdict.MISSING, "SLACK_APP_TOKEN is not set: make one with connections:write.")]
    try_app_token(open_client(settings.slack_app_token, settings.slack_api_url))
    return [Finding(Verdict.OK, "Socket Mode")]
