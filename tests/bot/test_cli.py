"""Each command does its job from the terminal, and says in one sentence what it can't do."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot import app
from bot.cli import main
from bot.commands import status
from bot.commands.measuring import FUSIONS, STAGES
from bot.texts import HELP, REFUSAL
from retrieval import fusion
from retrieval.chunking import CHUNKING_VERSION
from retrieval.embedding import packaged
from retrieval.evaluation.variants import SWITCHES
from retrieval.stores.shared import open_store

ROOT = Path(__file__).parents[2]

LEAVE = """# Leave

## Carrying days over

Up to five days of annual leave can be carried over to the next year. They lapse at the end of March.

## Sick leave

Tell your lead by ten in the morning.
"""
CODES = "# Codes\n\nThe error `ERR_KILN_42` means that the kiln door is open. Close it and start again.\n"


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A data folder of its own, no Slack, and logging as it was."""
    for variable in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_API_URL", "DATABASE_URL", "EMBEDDING_MODEL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    before = {name: logging.getLogger(name).level for name in ("", "bot", "retrieval", "slack_sdk")}
    yield
    for handler in logging.getLogger().handlers[:]:
        if not type(handler).__module__.startswith("_pytest"):
            logging.getLogger().removeHandler(handler)
            handler.close()
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    """Two pages."""
    return _written(tmp_path / "handbook")


@pytest.fixture(scope="module")
def indexed_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder in which the two pages are indexed."""
    folder = tmp_path_factory.mktemp("indexed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOOTNOTE_DATA", str(folder / "data"))
        assert main(["index", str(_written(folder / "handbook")), "--url", "https://handbook.example"]) == 0
    return folder / "data"


@pytest.fixture
def indexed(indexed_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index of the two pages, to ask; whatever writes has one of its own."""
    monkeypatch.setenv("FOOTNOTE_DATA", str(indexed_data))


def _written(folder: Path) -> Path:
    folder.mkdir()
    (folder / "leave.md").write_text(LEAVE, encoding="utf-8")
    (folder / "codes.md").write_text(CODES, encoding="utf-8")
    return folder


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process: its exit code, stdout and stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "The following arguments are required: COMMAND"),
        (("dance",), "'dance'"),
        (("ask",), "WORDS"),
        (("ask", "why", "--as", "ann"), "--as and --in need Slack"),
        (("ask", "why", "--in", "infra"), "--as and --in need Slack"),
        (("ask", "why", "--thread", "/nowhere"), "/nowhere can't be read as a thread"),
        (("index",), "Name a folder of documents"),
        (("index", "/nowhere"), "There is nothing at /nowhere"),
        (("index", "--slack-export", "/nowhere"), "/nowhere can't be opened"),
        (("index", str(ROOT / "scripts"), "--visible-to", "infra"), "needs Slack"),
        (("passages", "/nowhere"), "There is nothing at /nowhere"),
        (("passages", str(ROOT), "--sample", "0"), "no whole number above 0"),
        (("eval", "rewriting", "/nowhere"), "/nowhere can't be read"),
        (("eval", "retrieval", "/nowhere"), "There is no folder /nowhere"),
        (("eval", "retrieval", "/", "--without", "sense"), "'sense' is no stage: give some of dense,"),
        (("eval", "retrieval", "/", "--questions", "a", "--qrels", "b"), "--questions holds the gold too"),
        (("index", str(ROOT / "scripts"), "--url", "handbook"), "'handbook' is no http or https address"),
        (("serve",), "SLACK_BOT_TOKEN and SLACK_APP_TOKEN must be set"),
        (("sandbox", "--seed", "/nowhere.yml"), "/nowhere.yml"),
        (("sandbox", "--port", "99999"), "'99999' is no port"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(run: Run, words: tuple[str, ...], sentence: str) -> None:
    """Nobody is shown a traceback or a page of usage for a slip."""
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert [line for line in err.splitlines() if not line.endswith("…")] == err.splitlines()[-1:]


def test_a_disk_without_room_is_told_before_anything_is_written(
    run: Run, monkeypatch: pytest.MonkeyPatch, handbook: Path
) -> None:
    """The engine maps its files into memory, and a process that can't fill them is killed without a word."""
    monkeypatch.setattr(app, "LEAST_ROOM_BYTES", 10**30)  # more than any disk has
    for words in (("index", str(handbook)), ("ask", "how does the kiln work?")):
        code, out, err = run(*words)
        assert (code, out) == (1, "")
        assert "make room, or set another folder with FOOTNOTE_DATA." in err
        assert len(err.splitlines()) == 1
    assert "missing The disk of " in run("check")[1]


def test_wrong_settings_are_exit_code_2(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are told before anything is done."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", "secret-token")
    code, out, err = run("status")
    assert (code, out) == (2, "")
    assert "SLACK_BOT_TOKEN must start with xoxb-" in err
    assert "secret-token" not in err


def test_the_unexpected_is_an_incident_and_its_traceback_stays_in_the_log(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A person reads one sentence with a number by which the details are found."""

    def fail(*_: object) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(status, "run", fail)
    code, out, err = run("status")
    incident = err.partition("incident ")[2][:8]
    log = (tmp_path / "data" / "footnote.log").read_text(encoding="utf-8")
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert f"incident {incident}" in log
    assert "ZeroDivisionError" in log
    assert "ZeroDivisionError" in run("status", "--debug")[2]


def test_documents_are_indexed_once_and_answer_with_their_address(run: Run, handbook: Path) -> None:
    """The first commands of a newcomer: index a folder, ask, and get the words with where they stand."""
    code, out, _ = run("index", str(handbook), "--url", "https://handbook.example")
    assert (code, out.splitlines()[0]) == (0, "2 documents: 2 passages added, 0 unchanged, 0 deleted.")
    assert run("index", str(handbook), "--url", "https://handbook.example")[1].startswith(
        "2 documents: 0 passages added, 2 unchanged"
    )
    code, out, _ = run("ask", "how", "many", "days", "of", "leave", "can", "be", "carried", "over?")
    assert code == 0
    assert "Up to five days of annual leave can be carried over to the next year." in out
    assert "[1] Leave" in out
    assert "https://handbook.example/leave#carrying-days-over" in out


def test_what_changed_is_embedded_and_what_went_is_gone(run: Run, handbook: Path) -> None:
    """The index says of a folder what the folder says."""
    run("index", str(handbook))
    (handbook / "leave.md").unlink()
    (handbook / "codes.md").write_text(CODES.replace("open", "stuck"), encoding="utf-8")
    (handbook / "picture.png").write_bytes(b"\x89PNG")
    _, out, _ = run("index", str(handbook))
    assert out.splitlines()[0] == "1 document: 1 passage added, 0 unchanged, 2 deleted, 1 document gone."
    assert out.splitlines()[1].startswith(f"Skipped {handbook}/picture.png: ")
    assert json.loads(run("status", "--json")[1])["passages"] == 1


@pytest.mark.usefixtures("indexed")
def test_json_says_everything_of_an_answer(run: Run) -> None:
    """One object on stdout with the fields that scripts build on."""
    code, out, err = run("ask", "What does ERR_KILN_42 mean?", "--json")
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert answer["outcome"] == "answer"
    assert answer["query"] == "What does ERR_KILN_42 mean?"
    assert "the kiln door is open" in answer["text"]
    assert [(c["marker"], c["title"], c["url"]) for c in answer["citations"]] == [
        (1, "Codes", "https://handbook.example/codes#codes")
    ]
    assert answer["citations"][0]["quote"] in CODES
    assert answer["evidence"][0]["source"].endswith("handbook/codes.md")
    assert answer["ms"] > 0


@pytest.mark.usefixtures("indexed")
def test_what_nothing_answers_is_refused_without_citations(run: Run) -> None:
    """The refusal is the one sentence, and an outcome like any other: exit code 0."""
    question = "Who won the regatta in Sydney last winter?"
    assert run("ask", question)[:2] == (0, f"{REFUSAL}\n")
    answer = json.loads(run("ask", question, "--json")[1])
    assert (answer["outcome"], answer["text"], answer["citations"]) == ("refusal", REFUSAL, [])


def test_an_empty_index_refuses_and_small_talk_gets_help(run: Run) -> None:
    """Nothing needs to be there for a first word."""
    assert run("ask", "how does the kiln work?")[:2] == (0, f"{REFUSAL}\n")
    assert run("ask", "hello")[:2] == (0, f"{HELP}\n")


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize(
    "lines",
    [
        '{"author": "ann", "text": "How many days of annual leave can be carried over?"}\n'
        '{"author": "Footnote", "text": "Up to five days of annual leave can be carried over to the next year."}\n',
        "How many days of annual leave can be carried over?\n",
    ],
)
def test_a_follow_up_is_asked_with_its_thread(run: Run, tmp_path: Path, lines: str) -> None:
    """The query that stands alone is shown, so that one sees what was searched."""
    thread = tmp_path / "thread.jsonl"
    thread.write_text(lines, encoding="utf-8")
    answer = json.loads(run("ask", "and when do they lapse?", "--thread", str(thread), "--json")[1])
    assert answer["query"] != "and when do they lapse?"
    assert "end of March" in answer["text"]


def test_commands_work_while_another_process_has_the_index(run: Run, handbook: Path, tmp_path: Path) -> None:
    """`serve` owns the store; indexing and asking go through it."""
    run("index", str(handbook))
    served = open_store(tmp_path / "data", "local", packaged.NAME, 384, CHUNKING_VERSION, command="footnote serve")
    try:
        (handbook / "kiln.md").write_text("# Kiln\n\nThe kiln is fired on Tuesdays.\n", encoding="utf-8")
        assert "1 passage added" in run("index", str(handbook))[1]
        assert "on Tuesdays" in run("ask", "When is the kiln fired?")[1]
        assert run("status")[1].startswith("local: 3 passages")
    finally:
        served.close()


def test_passages_shows_how_documents_are_cut(run: Run, handbook: Path) -> None:
    """The same sample each time, with where each passage stands."""
    code, out, _ = run("passages", str(handbook), "--sample", "1")
    assert code == 0
    assert out.endswith("1 of 2 passages\n")
    assert run("passages", str(handbook), "--sample", "1")[1] == out
    whole = run("passages", str(handbook), "--sample", "9")[1]
    assert f"doc:{handbook}/codes.md" in whole
    assert CODES.split("\n\n")[1].strip() in whole


def test_retrieval_is_measured_on_a_judged_set(run: Run, tmp_path: Path) -> None:
    """A folder in the BEIR layout gives the figures of every retriever."""
    judged = tmp_path / "judged"
    (judged / "qrels").mkdir(parents=True)
    corpus = [{"_id": f"d{n}", "title": "", "text": f"The {word} is blue."} for n, word in enumerate(["kiln", "door"])]
    (judged / "corpus.jsonl").write_text("\n".join(json.dumps(line) for line in corpus), encoding="utf-8")
    (judged / "queries.jsonl").write_text('{"_id": "q", "text": "what colour is the kiln?"}', encoding="utf-8")
    (judged / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq\td0\t1\n", encoding="utf-8")
    code, out, _ = run("eval", "retrieval", str(judged), "--json")
    figures = json.loads(out)
    assert code == 0
    assert set(figures["retrievers"]) == {"bm25", "dense", "hybrid"}
    assert figures["retrievers"]["hybrid"]["ndcg@10"] == 1.0
    assert (figures["passages"], figures["queries"]) == (2, 1)
    assert "hybrid" in run("eval", "retrieval", str(judged))[1]
    shown = run("eval", "retrieval", str(judged), "--gold", "--by-query", "--without", "dense,fill", "--fusion", "rrf")[
        1
    ]
    assert shown.splitlines()[-2:] == ["Of 1 golds 0 are not among the first 10: none.", "1.000 q"]


def test_retrieval_is_measured_on_questions_about_documents(run: Run, tmp_path: Path) -> None:
    """A folder of documents and a file of questions show the rank of each gold at each stage."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "leave.md").write_text(LEAVE, encoding="utf-8")
    questions = tmp_path / "questions.jsonl"
    rows = [
        {"question": "When must I call in sick?", "gold": "leave.md#sick-leave"},
        {"question": "Pay?", "gold": ["pay.md"]},
    ]
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    figures = json.loads(run("eval", "retrieval", str(tmp_path / "pages"), "--questions", str(questions), "--json")[1])
    assert [(one["gold"], one["ranks"]["hybrid"], one["lost"]) for one in figures["gold"]] == [
        ("leave.md#sick-leave", 1, None),
        ("pay.md", None, "corpus"),
    ]


def test_the_stages_that_can_be_switched_off_are_those_that_there_are() -> None:
    """The command line names them without loading what they switch."""
    assert (set(STAGES), set(FUSIONS)) == (set(SWITCHES), set(fusion.FUSIONS))


def test_rewriting_is_measured_on_follow_ups(run: Run, tmp_path: Path) -> None:
    """Figures of our rewrites beside those of doing nothing."""
    file = tmp_path / "follow-ups.jsonl"
    follow_up = {
        "id": "1",
        "history": [{"role": "user", "text": "How hot is the kiln?"}],
        "question": "and at night?",
        "rewrite": "How hot is the kiln at night?",
    }
    file.write_text(json.dumps(follow_up), encoding="utf-8")
    figures = json.loads(run("eval", "rewriting", str(file), "--json")[1])
    assert figures["items"] == 1
    assert figures["rouge1_recall"] >= figures["rouge1_recall_identity"]
    assert figures["retrieval"] is None


def test_check_names_what_is_missing(run: Run) -> None:
    """Without an app in Slack the bot can't run, and one reads what to do."""
    code, out, _ = run("check")
    lines = [line.split(maxsplit=1) for line in out.splitlines()]
    assert code == 1
    assert [verdict for verdict, _ in lines] == ["ok", "ok", "ok", "missing", "missing"]
    assert "SLACK_BOT_TOKEN is not set" in lines[3][1]


def test_check_names_an_index_that_the_settings_cannot_read(
    run: Run, handbook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index of another language is told before anybody asks, with the command that rebuilds it."""
    run("index", str(handbook))
    monkeypatch.setenv("LANGUAGE", "german")
    code, out, _ = run("check")
    assert code == 1
    assert (
        "missing The index of local was built with english and the settings ask for german: run `footnote reindex`, or "
        "set LANGUAGE to english again."
    ) in out.splitlines()


def test_check_says_when_refusals_are_not_fitted_to_the_model(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a model whose cosines lie elsewhere what is refused is anybody's guess, and one reads so."""
    monkeypatch.setenv("EMBEDDING_MODEL", "sentence-transformers/all-MiniLM-L6-v2")
    monkeypatch.setenv("EMBEDDING_MODEL_PATH", str(packaged.lay_out(tmp_path)))
    lines = run("check")[1].splitlines()
    assert lines[1].startswith("ok      embedding model sentence-transformers/all-MiniLM-L6-v2")
    assert lines[2].startswith("note    when an answer is good enough was fitted to the packaged model")


def test_status_of_nothing_says_what_to_do(run: Run) -> None:
    """An empty index is no error."""
    assert run("status")[:2] == (
        0,
        "Nothing is indexed yet: run `footnote index PATH`, or `footnote serve` for Slack.\n",
    )


def test_an_export_is_indexed_without_slack_and_says_what_it_left_out(run: Run, tmp_path: Path) -> None:
    """It seeds the index of its own workspace, and nobody reads it until Slack has confirmed the channel."""
    export = tmp_path / "export"
    (export / "shop").mkdir(parents=True)
    files: dict[str, object] = {
        "users.json": [{"id": "U1", "team_id": "T1", "name": "ann"}],
        "channels.json": [{"id": "C1", "name": "shop"}],
        "groups.json": [{"id": "G1", "name": "board"}],
        "shop/2026-03-02.json": [
            {"ts": "1772442000.000100", "user": "U1", "text": "The kiln is fired on Tuesdays."},
            {"ts": "1772442001.000100", "user": "U1", "subtype": "channel_join", "text": "joined"},
        ],
    }
    for name, content in files.items():
        (export / name).write_text(json.dumps(content), encoding="utf-8")
    code, out, err = run("index", "--slack-export", str(export))
    assert code == 0
    assert sorted(out.splitlines()) == [
        "1 channel, 2 messages; 1 conversation: 1 passage added, 0 unchanged, 0 deleted.",
        "Skipped (1): notices of Slack's, such as joins and topics.",
        "Skipped (1): private channels and group messages, which are taken with --private-channels only.",
    ]
    assert "read by nobody until Slack" in err
    assert run("status")[1].startswith("T1: 1 passage,")
    assert run("ask", "When is the kiln fired?")[1] == f"{REFUSAL}\n"


def test_the_installed_command_starts_without_what_it_does_not_need() -> None:
    """Help and mistakes are told at once: no model, no Slack package, no database is loaded for them."""
    heavy = ("fastembed", "numpy", "slack_sdk", "slack_bolt", "sqlalchemy", "rich", "yaml")
    code = f"import sys; from bot.cli import main; main(['dance']); print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


@pytest.mark.usefixtures("indexed")
def test_no_package_reports_that_it_is_used(tmp_path: Path) -> None:
    """What a team runs is its own matter: the embedding runtime keeps no record to be sent to its maker."""
    home = tmp_path / "home"
    home.mkdir()
    environ = {"HOME": str(home), "FOOTNOTE_DATA": os.environ["FOOTNOTE_DATA"]}
    command = [str(Path(sys.executable).with_name("footnote")), "ask", "how many days can be carried over?"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_the_installed_command_runs() -> None:
    """`footnote` is on the path of the environment, and its help lists every command."""
    footnote = Path(sys.executable).with_name("footnote")
    done = subprocess.run([footnote, "--help"], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    for command in ("serve", "check", "status", "index", "ask", "passages", "eval", "sandbox"):
        assert f"\n    {command} " in done.stdout
