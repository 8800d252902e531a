"""Parts of a run."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.errors import UsageError
from tapegate.run.shard import MOST, Shard


@pytest.mark.parametrize("word", ["1/1", "2/4", "256/256"])
def test_a_part_is_read_as_it_is_shown(word: str) -> None:
    """`I/N`, both counted from 1."""
    assert str(Shard.parse(word)) == word


@pytest.mark.parametrize("word", ["", "0/1", "2/1", "1/0", "1", "1/2/3", "a/b", "01/2", "-1/2", "1/ 2", "1/257", "²/2"])
def test_anything_else_is_bad_input(word: str) -> None:
    """With what is expected."""
    with pytest.raises(UsageError, match=f"I/N with 1 ≤ I ≤ N ≤ {MOST}"):
        Shard.parse(word)


@settings(max_examples=50)
@given(st.integers(1, 40), st.data())
def test_the_shares_are_the_whole_each_thing_once(many: int, data: st.DataObject) -> None:
    """However a run is cut, nothing is left out and nothing is judged twice; shares differ by one at the most."""
    of = data.draw(st.integers(1, many))
    shares = [Shard(number, of).share(range(many)) for number in range(1, of + 1)]
    assert sorted(one for share in shares for one in share) == list(range(many))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_an_empty_part_is_no_pass() -> None:
    """More parts than tasks are refused, with how many there may be."""
    with pytest.raises(UsageError, match="part 3/3 of 2 tasks is empty") as caught:
        Shard(3, 3).share("ab")
    assert caught.value.problems[0].fix == "split the run into 2 parts at the most"
