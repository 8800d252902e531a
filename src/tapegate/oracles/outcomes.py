"""Whether one accepted outcome makes another one pointless."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tapegate.model.outcome import Outcome, Shape
from tapegate.model.part import Bounds
from tapegate.oracles.slot import SlotKind, kept


def covers(loose: Outcome, tight: Outcome, kinds: Mapping[str, SlotKind]) -> bool:
    """Whether every trace that meets `tight` is sure to meet `loose` as well. False where that is not plain."""
    return (
        _shape_covers(loose, tight, kinds)
        and all(tight.state.get(table) == state for table, state in loose.state.items())
        and loose.state_elsewhere in ("any", tight.state_elsewhere)
        and all(
            any(turn.turn == other.turn and _shape_covers(turn, other, kinds) for other in tight.turns)
            for turn in loose.turns
        )
    )


def _shape_covers(loose: Shape, tight: Shape, kinds: Mapping[str, SlotKind]) -> bool:
    return (
        _policy_covers(loose, tight)
        and set(loose.required_tools) <= set(tight.required_tools)
        and set(loose.forbidden_tools) <= set(tight.forbidden_tools)
        and all(
            _choice_covers(getattr(loose, field), getattr(tight, field))
            for field in ("any_allowed_path", "allowed_first_tools", "allowed_tools")
        )
        and all(_bounds_cover(bounds, tight.tool_counts.get(tool)) for tool, bounds in loose.tool_counts.items())
        and all(kept(given, tight.tool_arguments.get(tool, ())) for tool, given in loose.tool_arguments.items())
        and set(loose.parallel_tools) <= set(tight.parallel_tools)
        and (loose.parallel_max is None or loose.parallel_max >= (tight.parallel_max or loose.parallel_max + 1))
        # A tolerance of the tighter one that the looser one lacks may turn the two around.
        and all(loose.tolerances.get(name) == band for name, band in tight.tolerances.items())
        and all(
            slot in tight.required_slots and slot in kinds and kinds[slot].loosens(value, tight.required_slots[slot])
            for slot, value in loose.required_slots.items()
        )
    )


def _policy_covers(loose: Shape, tight: Shape) -> bool:
    if loose.tool_path_policy == "any_allowed_path":
        return True
    if loose.tool_path_policy == "fixed_order":
        return tight.tool_path_policy == "fixed_order" and loose.required_tools == tight.required_tools
    return tight.tool_path_policy == "no_tools"


def _choice_covers(loose: Sequence[object], tight: Sequence[object]) -> bool:
    """An empty list asks nothing; a list with more choices asks less."""
    return not loose or (bool(tight) and set(tight) <= set(loose))


def _bounds_cover(loose: Bounds, tight: Bounds | None) -> bool:
    if tight is None:
        return loose.min == 0 and loose.max is None
    return loose.min <= tight.min and (loose.max is None or (tight.max is not None and tight.max <= loose.max))


def complementary(one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes of a single condition each leave nothing between them: a tool that is called or is not, at
    most 3 sentences or at least 4."""
    first, second = _span(one), _span(other)
    if first is None or second is None or first[0] != second[0]:
        return False
    _, low, high = first
    _, least, most = second
    return (low == 0 and high is not None and most is None and least <= high + 1) or (
        least == 0 and most is not None and high is None and low <= most + 1
    )


def _span(outcome: Outcome) -> tuple[str, float, float | None] | None:
    """What an outcome of one condition counts, and between which bounds; None for any other outcome."""
    conditions = outcome.model_dump(exclude_defaults=True, exclude={"name"})
    if len(conditions) != 1:
        return None
    ((kind, asked),) = conditions.items()
    if kind not in ("required_tools", "forbidden_tools", "tool_counts", "required_slots") or len(asked) != 1:
        return None
    if kind == "required_tools":
        return f"tool {asked[0]}", 1, None
    if kind == "forbidden_tools":
        return f"tool {asked[0]}", 0, 0
    ((name, value),) = asked.items()
    if kind == "tool_counts":
        return f"tool {name}", value.get("min", 0), value.get("max")
    if not isinstance(value, int | float):
        return None
    what, _, end = name.rpartition("_")
    return (what, value, None) if end == "min" else (what, 0, value) if end == "max" else None
