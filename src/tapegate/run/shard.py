"""One of N equal parts of a run, as a job of a matrix runs it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from tapegate.errors import UsageError

MOST = 256
"""Parts of a run: GitHub's limit of jobs in a matrix."""

_WORD = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")

Each = TypeVar("Each")


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number` of `of`."""

    number: int
    """1-based."""
    of: int

    @classmethod
    def parse(cls, word: str) -> Shard:
        """`2/4`. Raises UsageError `bad_shard` for anything else."""
        found = _WORD.fullmatch(word)
        number, of = (int(found[1]), int(found[2])) if found else (0, 0)
        if not 1 <= number <= of <= MOST:
            raise UsageError.of(
                "bad_shard",
                f"{word!r} is no part of a run; expected I/N with 1 ≤ I ≤ N ≤ {MOST}, like '2/4'",
                fix="number the jobs of a matrix from 1 to N",
            )
        return cls(number, of)

    def share(self, all_of_them: Sequence[Each]) -> tuple[Each, ...]:
        """Every N-th of what is given, in its order. All shares together are the whole, each thing in one of them.

        Raises UsageError `empty_shard` where there is nothing for this part: nothing was judged is no pass.
        """
        found = tuple(all_of_them[self.number - 1 :: self.of])
        if not found:
            many = len(all_of_them)
            raise UsageError.of(
                "empty_shard",
                f"part {self} of {many} {'task' if many == 1 else 'tasks'} is empty",
                fix=f"split the run into {many} parts at the most",
            )
        return found

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"
