"""One trial: a workspace of its own in which people act and ask, and all that Footnote puts anywhere is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from random import Random

from bot.evaluation.access.acting import Acting
from bot.evaluation.access.chronicle import Chronicle
from bot.evaluation.access.judging import Findings, Judge
from bot.evaluation.access.listening import listening
from bot.evaluation.access.oracle import Kind
from bot.evaluation.access.pressing import Shown, press, shown_buttons, type_command
from bot.evaluation.access.questions import Put, Wish, is_owed, open_dms, put_question, reply_to, wish_for_something
from bot.evaluation.access.reading import canaries_shown_to
from bot.evaluation.access.stage import Stage, Theatre
from bot.evaluation.access.trouble import Trouble
from bot.evaluation.access.watching import put_by_footnote
from bot.evaluation.access.worlds import World, build_world
from bot.slack.decisions import Decision
from bot.slack.offers import LOOK_ACTION, SHARE_ACTION

_FEWEST_STEPS, _MOST_STEPS = 6, 14
_PAUSES_S = (0.5, 2.0, 7.0, 20.0, 45.0, 61.0, 130.0)
_SHAKEN_S = 400.0
"""Longer than the back-offs after which a failed call is made again."""
_INTERRUPTED, _CALLS = 0.15, 8
"""How often something is done while an answer is being made, and before which of its first calls."""
_BEHIND_S = 0.1
"""What comes while an answer is being made may come too late for it; then it must be taken back."""
_TAKEN_AWAY = 0.8
"""How often what was just given is taken away by the next act."""


def run_trial(theatre: Theatre, seed: int) -> Findings:
    """The trial of a seed: the same every time."""
    random = Random(seed)
    world = build_world(random)
    findings = Findings()
    with listening(findings.log_leaks), theatre.stage(world) as stage:
        trial = _Trial(stage, world, random, findings)
        for _ in range(random.randint(_FEWEST_STEPS, _MOST_STEPS)):
            trial.step()
        trial.read_everything()
    return findings


class _Trial:
    """A trial as it goes on."""

    def __init__(self, stage: Stage, world: World, random: Random, findings: Findings) -> None:
        self._stage, self._still = stage, stage.still
        self._random, self._findings = random, findings
        self._clock = self._still.workspace.clock.now
        open_dms(self._still)
        self._chronicle = Chronicle(self._still, stage.take, world, findings.story)
        self._timeline = self._chronicle.timeline
        self._judge = Judge(self._timeline, self._clock, findings)
        self._trouble = Trouble(self._still, random)
        self._acting = Acting(self._still, random, world.words, list(world.shared_topics))
        self._admitted = frozenset({Kind.MEMBER, *([Kind.GUEST] if world.answers_guests else [])})
        self._asked: dict[tuple[str, str], Wish] = {}
        """What was asked, by the room and the post."""
        self._pressed: set[Shown] = set()
        self._shaken_until = self._clock()
        """Until then, an answer may be withheld for a reason that the truth doesn't know: a call failed, or somebody
        has decided that a channel isn't to be read."""
        self._given: Wish | None = None
        """What was given last, until something is done about it."""
        self._again: Wish | None = None
        """What was given until something was done about it."""
        self._calls_left = 0

    def step(self) -> None:
        """Time passes, and somebody does or asks something."""
        self._stage.pass_time(self._random.choice(_PAUSES_S))
        self._hear_what_is_late()
        does, weights = zip(*_STEPS, strict=True)
        self._random.choices(does, weights)[0](self)
        self._judge.look(put_by_footnote(self._still.workspace))

    def read_everything(self) -> None:
        """Somebody may see what was never judged, by a way that nobody thought of."""
        for person in self._still.workspace.people.values():
            if person.kind not in ("bot", "deactivated"):
                self._judge.account_for(person.id, canaries_shown_to(self._still, person.id))

    def _hear_what_is_late(self) -> None:
        """Events that came meanwhile are dealt with before anything else happens."""
        before = self._chronicle.events
        self._still.deliver()
        if self._chronicle.events > before:
            self._stage.settle()

    # ------------------------------------------------------------------------------------------------ what is done

    def _act(self) -> None:
        self._change()
        self._stage.settle()

    def _change(self) -> None:
        self._chronicle.change(lambda: self._taking_away() or self._acting.act(), self._trouble)

    def _taking_away(self) -> str:
        """Take away what was just given, now and then."""
        given, self._given = self._given, None
        if given is None or self._random.random() > _TAKEN_AWAY:
            return ""
        self._again = given
        places = self._timeline.now.stands.get(given.canary, frozenset())
        return self._acting.take_away(given.asker, given.room, places)

    @contextmanager
    def _interrupted(self) -> Iterator[None]:
        """Now and then something is done while the answer is being made, before one of the calls that it takes."""
        if self._random.random() < _INTERRUPTED:
            self._calls_left = self._random.randint(1, _CALLS)
            self._still.before_call = self._interrupt
        try:
            yield
        finally:
            self._still.before_call = lambda _path: None

    def _interrupt(self, path: str) -> None:
        self._calls_left -= 1
        if self._calls_left or "/chat." in path:
            return
        self._still.before_call = lambda _path: None
        self._shaken_until = max(self._shaken_until, self._clock() + 1.0)
        self._chronicle.tell("  (meanwhile)")
        self._chronicle.behind_s = _BEHIND_S
        self._change()
        self._still.deliver()
        self._chronicle.behind_s = 0.0

    # ----------------------------------------------------------------------------------------------- what is asked

    def _ask(self) -> None:
        """Somebody asks by a post: in a room, in a thread, or in their DM with Footnote."""
        again, self._again = self._again, None
        wish = again or self._wish()
        put = put_question(self._still, self._random, self._chronicle.topics, wish) if wish else None
        if put:
            self._tell(put.wish.asker, "asks in", put.wish.room)
            self._hear_answer(put)
            self._asked[put.wish.room, put.ts] = put.wish

    def _type(self) -> None:
        """Somebody asks by the command, anywhere; the answer comes in their DM."""
        wish = self._wish()
        if wish and (dm := self._chronicle.dm_of(wish.asker)):
            put = Put(replace(wish, room=dm), self._still.workspace.clock.next_ts())
            topic = self._chronicle.topics[wish.canary]
            if room := type_command(self._still, self._random, wish.asker, topic):
                self._tell(wish.asker, "types a command in", room)
                self._hear_answer(put)

    def _press(self) -> None:
        """Somebody presses a button that they see."""
        if not (buttons := shown_buttons(self._still.workspace)):
            return
        button = self._random.choice(buttons)
        self._tell(button.person, f"presses {button.action!r} in", button.room)
        wish, dm = self._asked.get((button.room, button.below)), self._chronicle.dm_of(button.person)
        put = Put(replace(wish, room=dm), self._still.workspace.clock.next_ts()) if wish else None
        press(self._still, button)
        if put and button.action == LOOK_ACTION and put.wish.asker == button.person:
            self._hear_answer(put, is_first=button not in self._pressed)
        else:
            self._stage.settle()
        self._pressed.add(button)
        self._heed(button)

    def _heed(self, button: Shown) -> None:
        """What people decide holds beside the truth."""
        if button.action not in (LOOK_ACTION, SHARE_ACTION):
            self._shaken_until = inf
        decides = button.action in (Decision.ALLOW.value, Decision.CLOSE.value)
        if decides and self._chronicle.is_full_member_in(button.person, button.room):
            self._judge.allow(button.room, button.action == Decision.ALLOW.value)

    def _wish(self) -> Wish | None:
        return wish_for_something(self._still, self._random, sorted(self._chronicle.topics), self._timeline)

    def _hear_answer(self, put: Put, *, is_first: bool = True) -> None:
        """Have it answered, and see whether what was owed is there."""
        self._findings.questions += 1
        can_tell = is_first and self._chronicle.is_unique(put.wish.canary)
        is_owed_now = can_tell and is_owed(put.wish, self._timeline, self._clock(), self._admitted)
        with self._trouble.with_calls() as failed, self._interrupted():
            self._stage.settle()
        if failed:
            self._chronicle.tell(f"  ({', '.join(failed)} failed)")
            self._shaken_until = max(self._shaken_until, self._clock() + _SHAKEN_S)
        self._check(put, is_owed_now and self._clock() >= self._shaken_until)

    def _check(self, put: Put, is_owed_now: bool) -> None:
        reply = reply_to(put, self._still)
        if put.wish.canary in reply:
            self._given = put.wish
            self._findings.answered += is_owed_now
        elif is_owed_now:
            said = " ".join(reply.split())
            self._findings.needless.append(f"{put.wish.room} {put.ts}: {put.wish.canary} was owed; it said {said!r}")

    def _tell(self, user_id: str, what: str, room_id: str) -> None:
        self._chronicle.tell(f"{self._chronicle.name_of(user_id)} {what} {self._chronicle.place_of(room_id)}")


_STEPS: tuple[tuple[Callable[[_Trial], None], float], ...] = (
    (_Trial._ask, 50),
    (_Trial._type, 5),
    (_Trial._press, 10),
    (_Trial._act, 35),
)
"""What happens next, and how often."""
