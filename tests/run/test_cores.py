"""How many cores this process may use."""

from __future__ import annotations

import os

import pytest

from tapegate.run.cores import cores


def test_cores_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container that is given one core of many has one."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    assert cores() == 1


def test_where_the_system_says_nothing_all_cores_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Systems without affinities tell how many there are, or nothing at all."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert cores() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1
