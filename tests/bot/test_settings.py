"""Settings are read once, say all that is wrong at once, and keep secrets to themselves."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.settings import Settings
from bot.types import FollowUps, Guests


def test_an_empty_environment_gives_the_defaults() -> None:
    """The first command works with nothing set."""
    settings = Settings.from_env({})
    assert settings == Settings()
    assert settings.slack_api_url == "https://slack.com/api/"
    assert settings.state_url == "sqlite:///.footnote/state.db"
    assert not settings.has_slack


def test_every_variable_is_read(tmp_path: Path) -> None:
    """Each row of the table sets its field; blanks around a value are no part of it."""
    environ = {
        "SLACK_BOT_TOKEN": " xoxb-1\n",
        "SLACK_APP_TOKEN": "xapp-1",
        "SLACK_API_URL": "http://127.0.0.1:4711/api/",
        "FOOTNOTE_DATA": "/data",
        "DATABASE_URL": "postgresql://db/footnote",
        "FOOTNOTE_KEY": "k2",
        "QDRANT_URL": "https://qdrant.example.com",
        "QDRANT_API_KEY": "q1",
        "QDRANT_GRPC_PORT": "6334",
        "QDRANT_TIMEOUT_S": "3",
        "QDRANT_SHARDS": "4",
        "QDRANT_REPLICAS": "2",
        "QDRANT_QUANTIZATION": "turbo4",
        "EMBEDDING_MODEL": "BAAI/bge-small-en-v1.5",
        "EMBEDDING_MODEL_PATH": str(tmp_path),
        "RERANKER_MODEL": "BAAI/bge-reranker-base",
        "RERANKER_MODEL_PATH": str(tmp_path),
        "LANGUAGE": "german",
        "LLM_URL": "https://llm.example.com/v1",
        "LLM_MODEL": "writer",
        "LLM_API_KEY": "k1",
        "LLM_API": "anthropic",
        "LLM_TIMEOUT_S": "9",
        "LLM_CONTEXT_TOKENS": "4000",
        "FOOTNOTE_FOLLOW_UPS": "None",
        "FOOTNOTE_GUESTS": "Answer",
    }
    assert set(environ) == {row.variable for row in Settings.table()}
    assert Settings.from_env(environ) == Settings(
        slack_bot_token="xoxb-1",
        slack_app_token="xapp-1",
        slack_api_url="http://127.0.0.1:4711/api/",
        data_folder=Path("/data"),
        database_url="postgresql://db/footnote",
        key="k2",
        qdrant_url="https://qdrant.example.com",
        qdrant_api_key="q1",
        qdrant_grpc_port="6334",
        qdrant_timeout_s="3",
        qdrant_shards="4",
        qdrant_replicas="2",
        qdrant_quantization="turbo4",
        embedding_model="BAAI/bge-small-en-v1.5",
        embedding_model_path=str(tmp_path),
        reranker_model="BAAI/bge-reranker-base",
        reranker_model_path=str(tmp_path),
        language="german",
        llm_url="https://llm.example.com/v1",
        llm_model="writer",
        llm_api_key="k1",
        llm_api="anthropic",
        llm_timeout_s="9",
        llm_context_tokens="4000",
        follow_ups=FollowUps.NONE,
        guests=Guests.ANSWER,
    )


def test_every_problem_is_told_at_once() -> None:
    """Nobody mends one setting only to be told of the next."""
    environ = {
        "SLACK_BOT_TOKEN": "xapp-swapped",
        "SLACK_APP_TOKEN": "xoxb-swapped",
        "SLACK_API_URL": "slack.com",
        "DATABASE_URL": "state.db",
        "QDRANT_URL": "https://bot:swapped@qdrant.example.com",
        "QDRANT_GRPC_PORT": "grpc",
        "QDRANT_TIMEOUT_S": "0",
        "QDRANT_SHARDS": "0",
        "QDRANT_REPLICAS": "two",
        "QDRANT_QUANTIZATION": "scalar",
        "EMBEDDING_MODEL_PATH": "/nowhere/at/all",
        "RERANKER_MODEL_PATH": "/nowhere/either",
        "RERANKER_MODEL": "",
        "LANGUAGE": "klingon",
        "FOOTNOTE_FOLLOW_UPS": "everybody",
        "FOOTNOTE_GUESTS": "perhaps",
    }
    with pytest.raises(SettingsError) as raised:
        Settings.from_env(environ)
    assert [variable for variable in environ if variable not in str(raised.value)] == []
    assert "swapped" not in str(raised.value)


def test_secrets_are_not_shown() -> None:
    """A settings object in a log or an error gives no token away, nor a database's password."""
    url = "postgresql://u:s3@db/f"
    shown = repr(Settings(slack_bot_token="xoxb-s1", slack_app_token="xapp-s2", database_url=url, qdrant_api_key="s4"))
    assert not {"s1", "s2", "s3", "s4"} & set(shown.replace("@", "-").replace(":", "-").replace("'", "-").split("-"))


def test_settings_do_not_change() -> None:
    """What was read once holds until the end."""
    with pytest.raises(FrozenInstanceError):
        Settings().language = "german"  # type: ignore[misc]  # that it is refused is the point


def test_every_setting_has_its_row() -> None:
    """The table in the README is made from these rows."""
    assert len(Settings.table()) == len(fields(Settings))
    assert all(row.meaning.endswith(".") for row in Settings.table())


@pytest.mark.parametrize("locales", ["en_US:en", "de_DE.UTF-8", "de", "C", "pt_BR:pt:en", "sr@latin"])
def test_the_systems_own_language_is_not_ours(locales: str) -> None:
    """Many systems set LANGUAGE to locales for their own messages, which says nothing of what the team writes in."""
    assert Settings.from_env({"LANGUAGE": locales}).language == "english"


def test_an_unknown_language_is_told_with_those_that_are_known() -> None:
    """Whoever guesses a name sees at once how it is called here; capitals are no matter."""
    with pytest.raises(SettingsError, match=r"LANGUAGE must be one of arabic, .*, japanese, .*, turkish\."):
        Settings.from_env({"LANGUAGE": "klingon"})
    assert Settings.from_env({"LANGUAGE": "German"}).language == "german"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"LLM_URL": "https://llm.example.com"}, "LLM_URL and LLM_MODEL must be set together."),
        ({"LLM_MODEL": "writer"}, "LLM_URL and LLM_MODEL must be set together."),
        ({"LLM_URL": "llm.example.com", "LLM_MODEL": "m"}, "LLM_URL must be an http or https address"),
        ({"LLM_API": "grpc"}, "LLM_API must be openai, anthropic or empty."),
        ({"LLM_TIMEOUT_S": "0"}, "LLM_TIMEOUT_S must be a whole number above 0."),
        ({"LLM_CONTEXT_TOKENS": "many"}, "LLM_CONTEXT_TOKENS must be a whole number of at least 2000."),
    ],
)
def test_a_language_model_is_set_whole(given: dict[str, str], problem: str) -> None:
    """A model that can't be asked so is told at the start, and not at the first question."""
    with pytest.raises(SettingsError, match=re.escape(problem)):
        Settings.from_env(given)
