"""Pairing demands with what meets them, so that one thing found does not meet two demands."""

from __future__ import annotations

from collections.abc import Callable, Iterator


def unpaired(demands: int, found: int, meets: Callable[[int, int], bool]) -> Iterator[int]:
    """The demands that are left over in a largest pairing with what was found (Kuhn's augmenting paths)."""
    fits = [[other for other in range(found) if meets(one, other)] for one in range(demands)]
    taken: dict[int, int] = {}

    def place(one: int, seen: set[int]) -> bool:
        for other in fits[one]:
            if other not in seen:
                seen.add(other)
                if other not in taken or place(taken[other], seen):
                    taken[other] = one
                    return True
        return False

    for one in range(demands):
        if not place(one, set()):
            yield one
