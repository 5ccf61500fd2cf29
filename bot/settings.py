"""The one place that reads the environment: every setting, its default and what it means."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from urllib.parse import urlsplit

from bot.errors import SettingsError
from bot.types import FollowUps, Guests
from retrieval.embedding.languages import LANGUAGES
from retrieval.stores.served import Quantization

SLACK_API_URL = "https://slack.com/api/"
DATA_FOLDER = Path(".footnote")
LEAST_CONTEXT_TOKENS = 2000
"""The instructions, an answer and one passage."""


def keep_packages_silent() -> None:
    """Have no package report to its maker that it is used, as onnxruntime does from its import on unless it is told."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def _setting(variable: str, default: str, meaning: str, *, secret: bool = False) -> str:
    """A field that is read from `variable`; secrets stay out of `repr`."""
    made: str = field(default=default, repr=not secret, metadata={"variable": variable, "meaning": meaning})
    return made


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One line of the settings table in the README."""

    variable: str
    default: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that the environment decides."""

    slack_bot_token: str = _setting(
        "SLACK_BOT_TOKEN", "", "The bot's token, `xoxb-…`, of the app that you made from `manifest.yml`.", secret=True
    )
    slack_app_token: str = _setting(
        "SLACK_APP_TOKEN",
        "",
        "The app's token, `xapp-…`, with the scope `connections:write`, for Socket Mode.",
        secret=True,
    )
    slack_api_url: str = _setting("SLACK_API_URL", SLACK_API_URL, "Where Slack's Web API is; the sandbox has its own.")
    data_folder: Path = field(
        default=DATA_FOLDER,
        metadata={"variable": "FOOTNOTE_DATA", "meaning": "The folder that holds the index, the state and the log."},
    )
    database_url: str = _setting(
        "DATABASE_URL", "", "SQLAlchemy URL of the state; empty: `state.db` in the data folder.", secret=True
    )
    key: str = _setting(
        "FOOTNOTE_KEY",
        "",
        "What keeps private words encrypted: 32 bytes in URL-safe Base64; empty: the file `key` in the data folder.",
        secret=True,
    )
    qdrant_url: str = _setting(
        "QDRANT_URL", "", "A Qdrant server or cluster that keeps the passages; empty: they stand in the data folder."
    )
    qdrant_api_key: str = _setting("QDRANT_API_KEY", "", "The key of that server.", secret=True)
    qdrant_grpc_port: str = _setting(
        "QDRANT_GRPC_PORT",
        "",
        "The port at which that server is asked over gRPC, often 6334; empty: it is asked over REST.",
    )
    qdrant_timeout_s: str = _setting(
        "QDRANT_TIMEOUT_S", "10", "How long one call to that server may take, in whole seconds."
    )
    qdrant_shards: str = _setting(
        "QDRANT_SHARDS",
        "1",
        "How many shards a collection is made of from then on; words are weighed in each by its own passages.",
    )
    qdrant_replicas: str = _setting(
        "QDRANT_REPLICAS",
        "1",
        "How many copies of each shard a collection is made with from then on; a write waits for more than half.",
    )
    qdrant_quantization: str = _setting(
        "QDRANT_QUANTIZATION",
        Quantization.NONE.value,
        "What a collection made from then on is searched by at first: `none`, whole vectors; `turbo4`, copies of 4 "
        "bits a number in memory, the best of which are ranked by whole vectors on disk.",
    )
    embedding_model: str = _setting(
        "EMBEDDING_MODEL", "", "The name of the embedding model; empty: the one that is packaged with Footnote."
    )
    embedding_model_path: str = _setting(
        "EMBEDDING_MODEL_PATH", "", "A folder that holds the embedding model's files, where it can't be downloaded."
    )
    reranker_model: str = _setting(
        "RERANKER_MODEL", "", "A cross-encoder that fastembed knows, to reorder what is found; empty: none does."
    )
    reranker_model_path: str = _setting(
        "RERANKER_MODEL_PATH", "", "A folder that holds the reranker's files, where it can't be downloaded."
    )
    language: str = _setting(
        "LANGUAGE", "english", "The language that most is written in, for stems and stop words, by its English name."
    )

    llm_url: str = _setting(
        "LLM_URL",
        "",
        "The address of a language model's API, such as `http://localhost:11434/v1`; empty: answers are quoted.",
    )
    llm_model: str = _setting("LLM_MODEL", "", "The model's name there.")
    llm_api_key: str = _setting("LLM_API_KEY", "", "The key of that API.", secret=True)
    llm_api: str = _setting(
        "LLM_API", "", "What it speaks: `openai` (chat completions) or `anthropic`; empty: told by the address."
    )
    llm_timeout_s: str = _setting("LLM_TIMEOUT_S", "60", "How long the model may send nothing, in whole seconds.")
    llm_context_tokens: str = _setting(
        "LLM_CONTEXT_TOKENS", "8000", "How many tokens the model reads at once, its answer included."
    )
    follow_ups: FollowUps = field(
        default=FollowUps.ASKER,
        metadata={
            "variable": "FOOTNOTE_FOLLOW_UPS",
            "meaning": "What is answered without a mention in a channel's thread: `asker`, what the asker asks right "
            "after a reply to them; `none`, nothing.",
        },
    )
    guests: Guests = field(
        default=Guests.REFUSE,
        metadata={
            "variable": "FOOTNOTE_GUESTS",
            "meaning": "Whether guests of the workspace are answered: `refuse`, they are told that they aren't; "
            "`answer`, from what they may open.",
        },
    )

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """Read every setting once.

        Raises:
            SettingsError: some can't work; its message lists all of them.
        """
        given = {name: environ.get(variable, "").strip() for name, variable in _VARIABLES.items()}
        given["language"] = "" if _LOCALES.fullmatch(given["language"]) else given["language"].lower()
        folder = Path(given.pop("data_folder") or DATA_FOLDER)
        follow_ups = given.pop("follow_ups").lower() or FollowUps.ASKER.value
        guests = given.pop("guests").lower() or Guests.REFUSE.value
        known = {_NO_FOLLOW_UPS: follow_ups in _FOLLOW_UPS, _NO_GUESTS: guests in _GUESTS}
        settings = cls(
            data_folder=folder,
            follow_ups=FollowUps(follow_ups) if follow_ups in _FOLLOW_UPS else FollowUps.NONE,
            guests=Guests(guests) if guests in _GUESTS else Guests.REFUSE,
            **{name: text for name, text in given.items() if text},
        )
        if problems := settings._problems() + [problem for problem, is_known in known.items() if not is_known]:
            raise SettingsError(" ".join(problems))
        return settings

    @classmethod
    def table(cls) -> tuple[SettingRow, ...]:
        """Every variable with its default and its meaning."""
        return tuple(
            SettingRow(f.metadata["variable"], _default(f.default), f.metadata["meaning"]) for f in fields(cls)
        )

    @property
    def state_url(self) -> str:
        """The database's URL, in the data folder where none is set."""
        return self.database_url or f"sqlite:///{self.data_folder / 'state.db'}"

    @property
    def has_slack(self) -> bool:
        """Whether Slack can be asked."""
        return bool(self.slack_bot_token)

    def _problems(self) -> list[str]:
        bot, app, path = self.slack_bot_token, self.slack_app_token, self.embedding_model_path
        reranker, reranker_path = self.reranker_model, self.reranker_model_path
        checks = [
            (not bot or bot.startswith("xoxb-"), "SLACK_BOT_TOKEN must start with xoxb-."),
            (not app or app.startswith("xapp-"), "SLACK_APP_TOKEN must start with xapp-."),
            (_is_web_address(self.slack_api_url), "SLACK_API_URL must be an http or https address."),
            (
                not self.database_url or "://" in self.database_url,
                "DATABASE_URL must be an address such as sqlite:///….",
            ),
            (
                not self.qdrant_url or _is_web_address(self.qdrant_url),
                "QDRANT_URL must be an http or https address, without a name or a password in it.",
            ),
            (
                not self.qdrant_grpc_port or self.qdrant_grpc_port.isdecimal(),
                "QDRANT_GRPC_PORT must be a number, or empty.",
            ),
            (_is_above_zero(self.qdrant_timeout_s), "QDRANT_TIMEOUT_S must be a whole number above 0."),
            (_is_above_zero(self.qdrant_shards), "QDRANT_SHARDS must be a whole number above 0."),
            (_is_above_zero(self.qdrant_replicas), "QDRANT_REPLICAS must be a whole number above 0."),
            (self.qdrant_quantization in _QUANTIZATIONS, "QDRANT_QUANTIZATION must be none or turbo4."),
            *self._llm_problems(),
            (not path or Path(path).is_dir(), "EMBEDDING_MODEL_PATH must be a folder that exists."),
            (not reranker_path or Path(reranker_path).is_dir(), "RERANKER_MODEL_PATH must be a folder that exists."),
            (self.language in LANGUAGES, f"LANGUAGE must be one of {', '.join(LANGUAGES)}."),
            (not reranker_path or bool(reranker), "RERANKER_MODEL must name the model in RERANKER_MODEL_PATH."),
        ]
        return [problem for holds, problem in checks if not holds]

    def _llm_problems(self) -> list[tuple[bool, str]]:
        url, context = self.llm_url, self.llm_context_tokens
        return [
            (not url or _is_web_address(url), "LLM_URL must be an http or https address, without a password in it."),
            (bool(url) == bool(self.llm_model), "LLM_URL and LLM_MODEL must be set together."),
            (self.llm_api in ("", "openai", "anthropic"), "LLM_API must be openai, anthropic or empty."),
            (_is_above_zero(self.llm_timeout_s), "LLM_TIMEOUT_S must be a whole number above 0."),
            (
                context.isdecimal() and int(context) >= LEAST_CONTEXT_TOKENS,
                f"LLM_CONTEXT_TOKENS must be a whole number of at least {LEAST_CONTEXT_TOKENS}.",
            ),
        ]


_QUANTIZATIONS = frozenset(which.value for which in Quantization)
_FOLLOW_UPS = frozenset(which.value for which in FollowUps)
_NO_FOLLOW_UPS = "FOOTNOTE_FOLLOW_UPS must be asker or none."
_GUESTS = frozenset(which.value for which in Guests)
_NO_GUESTS = "FOOTNOTE_GUESTS must be refuse or answer."

_LOCALES = re.compile(r"C|POSIX|[a-z]{2,3}([_.@:][\w.@:-]*)?")
"""What the system itself sets as LANGUAGE for its messages, such as `en_US:en`: it is not meant for Footnote."""

_VARIABLES = {f.name: str(f.metadata["variable"]) for f in fields(Settings)}


def _default(value: object) -> str:
    """As somebody would write it in the environment."""
    if value is MISSING:
        return ""
    return str(value.value if isinstance(value, FollowUps | Guests) else value)


def _is_web_address(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in {"http", "https"} and bool(parts.netloc) and "@" not in parts.netloc


def _is_above_zero(text: str) -> bool:
    return text.isdecimal() and int(text) > 0
