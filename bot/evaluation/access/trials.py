"""One trial: a workspace of its own in which people act and ask, and all that Footnote puts anywhere is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from random import Random

from bot.evaluation.access.acting import Acting
from bot.evaluation.access.judging import GRACE_S, Findings, Judge
from bot.evaluation.access.listening import listening
from bot.evaluation.access.oracle import WORKSPACE
from bot.evaluation.access.pressing import Shown, press, shown_buttons, type_command
from bot.evaluation.access.questions import Put, Wish, is_owed, open_dms, put_question, reply_to, wish_for_something
from bot.evaluation.access.reading import canaries_shown_to
from bot.evaluation.access.stage import Stage, Theatre
from bot.evaluation.access.timeline import Timeline
from bot.evaluation.access.trouble import Trouble
from bot.evaluation.access.watching import put_by_footnote, truth_of
from bot.evaluation.access.words import canaries_in, topics_in
from bot.evaluation.access.worlds import World, build_world
from bot.slack.offers import LOOK_ACTION, SHARE_ACTION
from sandbox.types import Json

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
        self._began_at = self._clock()
        rooms = {room.name: room.id for room in self._still.workspace.channels.values()} | {"": WORKSPACE}
        self._documents = {c: rooms[page.visible_to] for page in world.documents for c in canaries_in(page.text)}
        self._topics = {canary: topic for page in world.documents for canary, topic in topics_in(page.text).items()}
        open_dms(self._still)
        self._timeline = Timeline(truth_of(self._still.workspace, self._documents))
        self._judge = Judge(self._timeline, self._clock, findings)
        self._trouble = Trouble(self._still, random)
        self._acting = Acting(self._still, random, world.words, list(world.shared_topics))
        self._events = 0
        self._behind_s = 0.0
        self._calls_left = 0
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
        self._note_topics()
        self._still.connect(self._take)

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
        before = self._events
        self._still.deliver()
        if self._events > before:
            self._stage.settle()

    def _take(self, payload: Json) -> bool:
        """Hand an event over, and note that it came."""
        is_taken = self._stage.take(payload)
        self._events += 1
        if is_taken and "event_id" in payload:
            self._timeline.note_event(str(payload["event_id"]), self._clock() + self._behind_s)
        return is_taken

    def _act(self) -> None:
        self._change(lambda: self._taking_away() or self._acting.act())
        self._stage.settle()

    def _change(self, act: Callable[[], str]) -> None:
        """Have something done, and write down what is so from then on."""
        sent = len(self._still.sent())
        with self._trouble.with_events() as trouble:
            done = act()
        if not done:
            return
        self._tell(f"{done}{trouble}")
        events = frozenset(str(payload["event_id"]) for payload in self._still.sent()[sent:])
        self._note_topics()
        self._timeline.add(self._clock(), truth_of(self._still.workspace, self._documents), events)
        if not trouble:
            self._trouble.tell_twice(sent)

    def _taking_away(self) -> str:
        """Take away what was just given, now and then."""
        given, self._given = self._given, None
        if given is None or self._random.random() > _TAKEN_AWAY:
            return ""
        self._again = given
        places = self._timeline.now.stands.get(given.canary, frozenset())
        return self._acting.take_away(given.asker, given.room, places)

    def _ask(self) -> None:
        """Somebody asks by a post: in a room, in a thread, or in their DM with Footnote."""
        again, self._again = self._again, None
        wish = again or wish_for_something(self._still, self._random, sorted(self._topics), self._timeline)
        put = put_question(self._still, self._random, self._topics, wish) if wish else None
        if put:
            self._tell(f"{self._name(put.wish.asker)} asks in {self._room(put.wish.room)}")
            self._hear_answer(put)
            self._asked[put.wish.room, put.ts] = put.wish

    def _type(self) -> None:
        """Somebody asks by the command, anywhere; the answer comes in their DM."""
        wish = wish_for_something(self._still, self._random, sorted(self._topics), self._timeline)
        if wish and (dm := self._dm_of(wish.asker)):
            put = Put(replace(wish, room=dm), self._still.workspace.clock.next_ts())
            if room := type_command(self._still, self._random, wish.asker, self._topics[wish.canary]):
                self._tell(f"{self._name(wish.asker)} types a command in {self._room(room)}")
                self._hear_answer(put)

    def _press(self) -> None:
        """Somebody presses a button that they see, most often one below the answer to a question of theirs."""
        buttons = shown_buttons(self._still.workspace)
        if not buttons:
            return
        button = self._random.choice(buttons)
        self._tell(f"{self._name(button.person)} presses {button.action!r} in {self._room(button.room)}")
        wish, dm = self._asked.get((button.room, button.below)), self._dm_of(button.person)
        if button.action == LOOK_ACTION and wish and wish.asker == button.person and dm:
            put = Put(replace(wish, room=dm), self._still.workspace.clock.next_ts())
            press(self._still, button)
            self._hear_answer(put, is_first=button not in self._pressed)
        else:
            press(self._still, button)
            self._stage.settle()
        if button.action not in (LOOK_ACTION, SHARE_ACTION):
            self._shaken_until = inf  # what people have decided now holds as well
        self._pressed.add(button)

    def _hear_answer(self, put: Put, *, is_first: bool = True) -> None:
        """Have it answered, and see whether what was owed is there."""
        self._findings.questions += 1
        topic = self._topics[put.wish.canary]
        is_unique = sum(other == topic for other in self._topics.values()) == 1
        is_owed_now = is_first and is_unique and is_owed(put.wish, self._timeline, self._clock(), GRACE_S)
        with self._trouble.with_calls() as failed, self._interrupted():
            self._stage.settle()
        if failed:
            self._tell(f"  ({', '.join(failed)} failed)")
            self._shaken_until = self._clock() + _SHAKEN_S
        is_owed_now = is_owed_now and self._clock() >= self._shaken_until
        reply = reply_to(put, self._still)
        if put.wish.canary in reply:
            self._given = put.wish
            self._findings.answered += is_owed_now
        elif is_owed_now:
            said = " ".join(reply.split())
            self._findings.needless.append(f"{put.wish.room} {put.ts}: {put.wish.canary} was owed; it said {said!r}")

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
        self._behind_s = _BEHIND_S
        self._tell("  (meanwhile)")
        self._change(lambda: self._taking_away() or self._acting.act())
        self._still.deliver()
        self._behind_s = 0.0

    def _dm_of(self, person: str) -> str:
        channel = self._still.workspace.direct(frozenset({person, self._still.workspace.app.user_id}))
        return channel.id if channel else ""

    def _note_topics(self) -> None:
        """Remember under which topic each canary stands; one that goes may still be asked for."""
        workspace = self._still.workspace
        texts = [message.text for room in workspace.channels.values() for message in room.messages.values()]
        for text in [*texts, *(file.content.decode() for file in workspace.files.values())]:
            self._topics |= topics_in(text)

    def _tell(self, what: str) -> None:
        self._findings.story.append(f"{self._clock() - self._began_at:7.1f} s  {what}")

    def _name(self, user_id: str) -> str:
        return self._still.workspace.people[user_id].name

    def _room(self, room_id: str) -> str:
        room = self._still.workspace.channels[room_id]
        return f"#{room.name}" if room.name else "a DM with Footnote"


_STEPS: tuple[tuple[Callable[[_Trial], None], float], ...] = (
    (_Trial._ask, 50),
    (_Trial._type, 5),
    (_Trial._press, 10),
    (_Trial._act, 35),
)
"""What happens next, and how often."""
