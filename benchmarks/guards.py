"""Takes each guard of who may read what out of the code, and shows that a test fails then.

`python -m benchmarks.guards`

What is changed is a copy of the sources in a folder that goes away. First every test has to pass there as it is; then
each guard is taken out by itself, its test is run, and the guard is put back. Prints the table of docs/access.md; exit
code 1 where a guard can be taken out and its test doesn't notice.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ("bot", "retrieval", "sandbox", "tests", "benchmarks", "pyproject.toml", "manifest.yml")
_TIMEOUT_S = 300
"""For one run of one test; a minute is long."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Something that keeps what somebody may not read from them."""

    name: str
    file: str
    stands: str
    """The code, which stands in the file once."""
    without: str
    """The same code without the guard."""
    test: str
    """Fails then; as pytest names it."""


_EDGE, _SERVER = "retrieval/stores/edge_shard.py", "retrieval/stores/server_requests.py"
_FORGETFUL_EDGE, _FORGETFUL_SERVER = "tests/retrieval/test_stores_edge.py", "tests/retrieval/test_stores_server.py"
_EACH_LEG_AND_ROOT = "test_the_filter_stands_in_each_leg_and_at_the_root"
_RARITY = "tests/congruence/test_non_interference.py::test_how_common_a_word_is_elsewhere_says_nothing"
_SCOPE = "bot/access/scope.py"

GUARDS = (
    Guard(
        "leg filter, embedded",
        _EDGE,
        "engine.Prefetch(limit=limit, query=query, filter=inside, params=params)",
        "engine.Prefetch(limit=limit, query=query, params=params)",
        f"{_FORGETFUL_EDGE}::{_EACH_LEG_AND_ROOT}",
    ),
    Guard(
        "leg filter, server, meaning",
        _SERVER,
        "using=first, filter=inside, params=params",
        "using=first, params=params",
        f"{_FORGETFUL_SERVER}::{_EACH_LEG_AND_ROOT}",
    ),
    Guard(
        "leg filter, server, words",
        _SERVER,
        "using=SPARSE, filter=inside, params=params",
        "using=SPARSE, params=params",
        f"{_FORGETFUL_SERVER}::{_EACH_LEG_AND_ROOT}",
    ),
    Guard(
        "root filter, embedded",
        _EDGE,
        "        filter=inside,\n        params=_EXACT,\n",
        "        params=_EXACT,\n",
        f"{_FORGETFUL_EDGE}::{_EACH_LEG_AND_ROOT}",
    ),
    Guard(
        "root filter, server",
        "retrieval/stores/server.py",
        "query_filter=request.inside,",
        "query_filter=None,",
        f"{_FORGETFUL_SERVER}::{_EACH_LEG_AND_ROOT}",
    ),
    Guard(
        "rarity counted in the scope, embedded",
        _EDGE,
        "exact=True, idf=engine.IdfParams(corpus=_inside(scope))",
        "exact=True",
        f"{_RARITY}[owned]",
    ),
    Guard(
        "rarity counted in the scope, server",
        _SERVER,
        "models.SearchParams(exact=True, idf=corpus)",
        "models.SearchParams(exact=True)",
        f"{_RARITY}[in memory]",
    ),
    Guard(
        "what comes back is checked",
        "retrieval/stores/inside.py",
        "    if scope.admits(places):\n",
        "    if scope:\n",
        f"{_FORGETFUL_EDGE}::test_what_the_engine_lets_slip_is_dropped_and_logged_by_id",
    ),
    Guard(
        "an empty scope asks nothing",
        "retrieval/stores/inside.py",
        "    if scope.is_empty or limit < 1:\n",
        "    if limit < 1:\n",
        f"{_FORGETFUL_EDGE}::test_an_empty_scope_never_reaches_the_engine",
    ),
    Guard(
        "live check before an answer is posted",
        "bot/answering/path.py",
        "return outcome if access.still_admits(question, passages) else Refusal()",
        "return outcome",
        "tests/bot/test_path.py::test_every_refusal_is_the_same",
    ),
    Guard(
        "live check of the asker and the place",
        "bot/access/membership.py",
        "scope = self._scope(question, CONFIRMED_S, evidence)",
        "scope = self._scope(question, FRESH_S, evidence)",
        "tests/bot/test_access.py::test_a_guest_who_came_meanwhile_is_seen",
    ),
    Guard(
        "live check of public evidence",
        "bot/access/membership.py",
        "(one.place not in evidence or self._is_still_open(one))",
        "one.place",
        "tests/bot/test_access.py::test_evidence_of_a_public_channel_is_confirmed_though_the_list_of_all_is_fresh",
    ),
    Guard(
        "share check",
        "bot/slack/sharing.py",
        "                and self.access.still_admits(there, passages)\n",
        "",
        "tests/scenarios/test_sharing.py::test_nothing_is_shared_of_which_somebody_may_not_read_all",
    ),
    Guard(
        "whoever joins later",
        _SCOPE,
        "may_open.add(_readable_by_whoever_joins(audience.posted_in, audience))",
        "may_open.add(audience.open_places.public | {WORKSPACE} | audience.open_places.shared)",
        "tests/bot/test_scope.py::test_a_private_fact_stays_out_of_every_other_conversation",
    ),
    Guard(
        "guests and others who read along",
        _SCOPE,
        "may_open = {readable(reader, audience.open_places) for reader in audience.readers}",
        "may_open = {readable(r, audience.open_places) for r in audience.readers if not audience.posted_in}",
        "tests/bot/test_scope.py::test_a_guest_narrows_a_channel",
    ),
    Guard(
        "approval of shared channels",
        _SCOPE,
        " or (here.is_shared and not audience.is_approved)",
        "",
        "tests/bot/test_scope.py::test_a_shared_channel_uses_itself_alone_and_only_when_that_is_allowed",
    ),
    Guard(
        "channels that are left out",
        "bot/access/membership.py",
        "may_open - left_out for may_open",
        "may_open for may_open",
        "tests/bot/test_access.py::test_a_channel_that_is_left_out_is_in_no_scope",
    ),
)


def table() -> str:
    """What docs/access.md shows."""
    rows = [f"| {guard.name} | `{guard.file}` | `{guard.test.partition('::')[2]}` |" for guard in GUARDS]
    return "\n".join(["| guard taken out of | the code | test that fails |", "|---|---|---|", *rows])


def main() -> int:
    """Try each guard; 1 where one can go unnoticed."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        _copy_sources(copy)
        if not _passes(copy, list(dict.fromkeys(guard.test for guard in GUARDS))):
            print("The tests fail with every guard in place: mend that first.", file=sys.stderr)
            return 1
        unnoticed = [guard.name for guard in GUARDS if _goes_unnoticed(guard, copy)]
    print(table())
    for name in unnoticed:
        print(f"Nothing fails without this one: {name}.", file=sys.stderr)
    return 1 if unnoticed else 0


def _copy_sources(folder: Path) -> None:
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)


def _goes_unnoticed(guard: Guard, folder: Path) -> bool:
    """Whether the guard's test passes without it."""
    file = folder / guard.file
    whole = file.read_text(encoding="utf-8")
    if whole.count(guard.stands) != 1:
        raise SystemExit(
            f"{guard.name}: its code stands not once in {guard.file}; bring benchmarks/guards.py up to it."
        )
    file.write_text(whole.replace(guard.stands, guard.without), encoding="utf-8")
    try:
        passes = _passes(folder, [guard.test])
    finally:
        file.write_text(whole, encoding="utf-8")
    print(f"{'UNNOTICED' if passes else 'noticed  '}  {guard.name}", file=sys.stderr)
    return passes


def _passes(folder: Path, tests: Sequence[str]) -> bool:
    """Whether the tests pass in the copy; a run that could not be made is neither, and ends all."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=_TIMEOUT_S)
    if done.returncode not in (0, 1):
        raise SystemExit(f"The tests could not be run:\n{done.stdout}{done.stderr}")
    return done.returncode == 0


if __name__ == "__main__":
    raise SystemExit(main())
