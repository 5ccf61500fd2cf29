"""Files are read in turn: what events bring first, one file in one hand, and what failed again after a wait."""

from __future__ import annotations

import threading
import time

from bot.sync.file_queue import FileQueue


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def taken(queue: FileQueue) -> list[str]:
    """Everything that is due now, each settled at once."""
    found = []
    while file_id := queue.take(wait=False):
        queue.done(file_id, is_settled=True)
        found.append(file_id)
    return found


def test_what_events_bring_is_read_before_histories() -> None:
    """In the order in which it came, and each file once."""
    queue = FileQueue()
    for file_id in ("old1", "old2", "old1"):
        queue.put(file_id)
    for file_id in ("new1", "old2", "new2", "new1"):
        queue.put(file_id, soon=True)
    queue.put("new2")
    assert taken(queue) == ["new1", "old2", "new2", "old1"]
    assert queue.is_empty


def test_a_file_is_in_one_hand_at_a_time() -> None:
    """What is heard of it meanwhile has it read again afterwards."""
    queue = FileQueue()
    queue.put("a")
    assert queue.take(wait=False) == "a"
    queue.put("a", soon=True)
    assert queue.take(wait=False) is None
    assert not queue.is_empty
    queue.done("a", is_settled=True)
    assert taken(queue) == ["a"]


def test_what_failed_is_read_again_after_growing_waits_and_then_no_more() -> None:
    """A file that can't be read now doesn't hold up the others, and isn't asked for without end."""
    clock = Clock()
    queue = FileQueue((5.0, 60.0), clock)
    queue.put("bad")
    queue.put("good")
    for wait_s in (5.0, 60.0):
        assert queue.take(wait=False) == "bad"
        queue.done("bad", is_settled=False)
        assert "bad" not in taken(queue)
        clock.now += wait_s
    assert queue.take(wait=False) == "bad"
    queue.done("bad", is_settled=False)
    clock.now += 1e6
    assert taken(queue) == []


def test_an_event_does_not_wait_for_what_failed_before() -> None:
    """A file that is heard of again is read at once."""
    queue = FileQueue((60.0,), Clock())
    queue.put("a")
    assert queue.take(wait=False) == "a"
    queue.done("a", is_settled=False)
    queue.put("a", soon=True)
    assert taken(queue) == ["a"]


def test_who_waits_is_woken_by_news_by_time_and_by_the_end() -> None:
    """A thread sleeps until there is something to do."""
    queue = FileQueue((0.05,))
    found: list[str | None] = []
    thread = threading.Thread(target=lambda: found.extend(iter(queue.take, None)))
    thread.start()
    queue.put("a")
    deadline = time.monotonic() + 5
    while not found and time.monotonic() < deadline:
        time.sleep(0.01)
    queue.done("a", is_settled=False)
    while len(found) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    queue.close()
    thread.join(5)
    assert (found, thread.is_alive()) == (["a", "a"], False)
