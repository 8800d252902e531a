"""Code without a tape, in a process that must not reach the network."""

from __future__ import annotations

import os

import pytest

from tapegate.doors import armed
from tapegate.doors.armed import Refused, hear, unrouted
from tapegate.doors.current import TAPE, Heard, Outside, hearing


@pytest.fixture
def reported():
    """Arms the process for one test, and gives what was reported."""
    addresses: list[str] = []
    armed.arm(addresses.append)
    yield addresses
    armed.disarm()


def test_an_armed_process_refuses_and_reports(reported):
    """Without a tape the request is refused, and the harness is told where it was going."""
    with pytest.raises(Refused, match=r"'api\.example:443': no tape is set"):
        hear(lambda: "api.example:443")
    assert reported == ["api.example:443"]


def test_a_process_that_is_not_armed_lets_pass():
    """Doors that are installed and unused change nothing."""
    assert not armed.armed()
    assert hear(lambda: pytest.fail("nobody reports")) is None


def test_the_harness_itself_passes(reported):
    """Tapegate's own requests are no subject's."""
    token = TAPE.set(Outside.HARNESS)
    try:
        assert hear(lambda: "api.github.com:443") is None
    finally:
        TAPE.reset(token)
    assert reported == []


@pytest.mark.parametrize("arm_first", [True, False])
def test_a_tape_whose_trial_has_ended_is_refused_always(arm_first):
    """Armed or not: a thread that outlives its trial reaches neither the tape nor the network."""
    addresses: list[str] = []
    heard = Heard(None, None)
    with hearing(heard):
        pass
    token = TAPE.set(heard)
    if arm_first:
        armed.arm(addresses.append)
    try:
        with pytest.raises(Refused, match="has ended"):
            hear(lambda: "api.example:443")
    finally:
        armed.disarm()
        TAPE.reset(token)
    assert addresses == (["api.example:443"] if arm_first else [])


def test_a_forked_child_does_not_play_its_parents_tape(tapes):
    """What it played would be missing from the parent's account; the attempt is on it instead."""
    player = tapes.player()
    with (
        hearing(Heard(player, tapes.routes, pid=os.getpid() + 1)),
        pytest.raises(Refused, match="forked"),
    ):
        hear(lambda: "api.example:443")
    assert [attempt.address for attempt in player.account.network] == ["api.example:443"]


def test_an_address_that_no_service_has_is_accounted(tapes):
    """The refusal says where to declare it."""
    player = tapes.player()
    refused = unrouted(Heard(player, tapes.routes), "other.example:443")
    assert "declare it under `services`" in str(refused)
    assert [attempt.address for attempt in player.account.network] == ["other.example:443"]
