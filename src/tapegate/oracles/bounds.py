"""Lower and upper bounds of a count, in words."""

from __future__ import annotations

from tapegate.model.part import Bounds


def demands(bounds: Bounds | None) -> bool:
    """Whether some number does not lie within."""
    return bounds is not None and (bounds.min > 0 or bounds.max is not None)


def contradiction(bounds: Bounds | None) -> str | None:
    """Why no number lies within, or None where one does."""
    if bounds is not None and bounds.max is not None and bounds.min > bounds.max:
        return f"no number is at least {bounds.min} and at most {bounds.max}"
    return None


def within(bounds: Bounds, count: int) -> bool:
    """Whether a number lies within."""
    return bounds.min <= count and (bounds.max is None or count <= bounds.max)


def said(bounds: Bounds) -> str:
    """`at least 1`, `at most 3`, `2`, `1 to 3`."""
    if bounds.max is None:
        return f"at least {bounds.min}"
    if bounds.min == bounds.max:
        return str(bounds.max)
    return f"at most {bounds.max}" if not bounds.min else f"{bounds.min} to {bounds.max}"
