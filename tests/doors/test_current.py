"""Who hears which tape."""

from __future__ import annotations

import asyncio
import os

from tapegate.doors.current import TAPE, Heard, hearing


def test_a_tape_is_heard_inside_its_block_only():
    """Before and after, nobody hears it."""
    heard = Heard(None, None)
    with hearing(heard):
        assert TAPE.get() is heard
        assert not heard.over
    assert TAPE.get() is None
    assert heard.over


def test_a_block_that_ends_out_of_order_leaks_nothing():
    """Two blocks that interleave leave no tape behind that is still to be heard."""
    first, second = hearing(Heard(None, None)), hearing(Heard(None, None))
    one = first.__enter__()
    two = second.__enter__()
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    left = TAPE.get()
    assert left is None or left.over
    assert one.over
    assert two.over
    TAPE.set(None)


def test_tasks_hear_their_own_tape():
    """Eight tasks that take turns each keep the tape they were given."""

    async def agent(number: int) -> list[bool]:
        with hearing(Heard(None, None)) as heard:
            seen = []
            for _ in range(20):
                await asyncio.sleep(0)
                seen.append(TAPE.get() is heard)
            return seen

    async def all_at_once() -> list[list[bool]]:
        return await asyncio.gather(*(agent(number) for number in range(8)))

    assert asyncio.run(all_at_once()) == [[True] * 20] * 8


def test_a_forked_child_knows_that_the_tape_is_its_parents(tapes):
    """What it would play is missing from the account, so it must know; the parent still hears its own."""
    heard = Heard(tapes.player(), tapes.routes)
    child = os.fork()
    if not child:
        os._exit(0 if heard.elsewhere and not Heard(heard.tape, heard.routes).elsewhere else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not heard.elsewhere
