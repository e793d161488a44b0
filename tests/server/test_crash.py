"""The short version of crash_daemon.py; `make check-crash` runs the long one."""
from crash_daemon import crash


def test_no_acknowledged_plan_is_lost_by_kill_9():
    total, lost, _ = crash(4)
    assert total > 0
    assert lost == []
