"""The labelled pairs of several weeks, each answer once."""

from __future__ import annotations

from collections.abc import Mapping

from tapegate.model.audit import AXES, Axis, Pair


class Counted:
    """Pairs by axis. Enter the latest week first: it is the one that counts."""

    def __init__(self) -> None:
        self.pairs: dict[Axis, list[Pair]] = {axis: [] for axis in AXES}
        self._known: dict[tuple[Axis, str, int], set[str | None]] = {}

    def enter(
        self,
        key: str,
        trial: int,
        answer_sha256: str | None,
        deterministic: Mapping[str, int | None],
        judge: Mapping[str, int | None],
    ) -> None:
        """Count what both scored, unless the answer was counted.

        Where a record does not name its answer, it may be any other of its trial, and counts only where there is none.
        """
        for axis in AXES:
            mine, said = deterministic[axis], judge[axis]
            if mine is None or said is None:
                continue
            known = self._known.setdefault((axis, key, trial), set())
            if answer_sha256 in known or None in known or (answer_sha256 is None and known):
                continue
            known.add(answer_sha256)
            self.pairs[axis].append(Pair(mine, said))
