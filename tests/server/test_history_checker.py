"""Tests that the checker of the worst day's storms finds wrong histories."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "worst_day"))
from history import History  # noqa: E402  pylint: disable=wrong-import-position


def written(history, key, value, answered=True):
    operation = history.begin(key, value)
    if answered:
        history.done(operation)


def test_an_acknowledged_write_must_be_seen():
    history = History()
    written(history, "k", "a")
    assert history.admits("k", "a", history.now())
    assert not history.admits("k", None, history.now()), "lost"
    written(history, "k", "b")
    assert not history.admits("k", "a", history.now()), "an older value came back"
    assert not history.admits("k", "c", history.now()), "this value was never written"


def test_a_write_without_an_answer_may_be_seen_or_not():
    history = History()
    written(history, "k", "a")
    written(history, "k", "b", answered=False)
    assert history.admits("k", "a", history.now()) and history.admits("k", "b", history.now())
    history.settle("k", "a")
    assert not history.admits("k", "b", history.now()), "after the crash it does not appear any more"


def test_writes_that_overlap_may_end_either_way():
    history = History()
    first, second = history.begin("k", "a"), history.begin("k", "b")
    history.done(second)
    history.done(first)
    assert history.admits("k", "a", history.now()) and history.admits("k", "b", history.now())
    history.read("k", None, history.now())
    assert len(history.wrong_reads()) == 1 and history.wrong_reads()[0].startswith("k was read as None from ")


def test_what_was_removed_stays_away():
    history = History()
    written(history, "k", "a")
    written(history, "k", None)
    assert history.admits("k", None, history.now()) and not history.admits("k", "a", history.now())
