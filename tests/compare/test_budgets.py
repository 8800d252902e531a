"""Budgets, held against what a change spends."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tapegate.compare.budgets import exceeds, limit
from tapegate.compare.differential_ab import compare
from tapegate.model.budget import Budget
from tapegate.model.config import Profile
from tapegate.model.diff import Spent
from tapegate.model.finding import Verdict


def budget(measure: Any = "total_tokens", **limits: Any) -> Budget:
    """A budget."""
    return Budget(measure=measure, **limits)


@pytest.mark.parametrize(
    ("limits", "base", "head", "over"),
    [
        ({"increase": 50}, 100, 150, False),
        ({"increase": 50}, 100, 151, True),
        ({"increase": 0}, 100, 100, False),
        ({"increase": 0}, 100, 101, True),
        ({"increase": 0}, 100, 50, False),
        ({"increase_percent": 10}, 100, 110, False),
        ({"increase_percent": 10}, 100, 111, True),
        ({"increase_percent": 10}, 0, 1, True),
        ({"increase_percent": 10}, 0, 0, False),
        ({"increase": 50, "increase_percent": 10}, 100, 120, True),
        ({"increase": 50, "increase_percent": 10, "exceeded": "all"}, 100, 120, False),
        ({"increase": 50, "increase_percent": 10, "exceeded": "all"}, 1000, 1060, False),
        ({"increase": 50, "increase_percent": 10, "exceeded": "all"}, 100, 160, True),
    ],
)
def test_at_a_limit_is_within_it(limits: dict[str, Any], base: int, head: int, over: bool) -> None:
    """Absolute and relative limits, either or both; a decrease is within any budget."""
    assert exceeds(budget(**limits), Fraction(base), Fraction(head)) is over


def test_a_limit_is_what_its_author_wrote() -> None:
    """0.1 is a tenth: an increase of exactly that much is within it, though the nearest binary number is not."""
    tenth = budget("cost_usd", increase=0.1)
    assert not exceeds(tenth, Fraction("0.2"), Fraction("0.3"))
    assert exceeds(tenth, Fraction("0.2"), Fraction("0.3000001"))
    # The nearest binary number of 0.1 is a little more, that of 0.3 a little less.
    assert not exceeds(budget("cost_usd", increase=0.3), Fraction("0.2"), Fraction("0.5"))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (budget(increase=1500), "tokens: at most +1,500 tokens for each task"),
        (budget("cost_usd", over="mean", increase=0.005), "cost: at most +0.005 US$ on average"),
        (
            budget("latency_e2e_ms", increase=50, increase_percent=2.5),
            "latency: at most +50 ms and +2.5 % for each task",
        ),
        (
            budget(increase=50, increase_percent=10, exceeded="all"),
            "tokens: at most +50 tokens or +10 % for each task",
        ),
    ],
)
def test_a_budget_is_said_in_words(made: Budget, said: str) -> None:
    """As a person would say it."""
    assert limit(made) == said


def spent(build: Any, made: Budget, *pairs: tuple[int | None, int | None], same: bool = False) -> Spent:
    """A budget held against tasks of so many tokens in base and head."""
    sides = [
        build.side(
            *(
                build.result(f"T-{n}@A1", metrics=build.metrics(pair[side]), tape="t" if same else f"t{side}")
                for n, pair in enumerate(pairs)
            )
        )
        for side in (0, 1)
    ]
    (found,) = compare(*sides, "pr", Profile(budgets=(made,))).budgets
    return found


def test_each_task_is_held_on_its_own_or_all_together(build: Any) -> None:
    """One task over the limit exceeds the first kind of budget; the mean of all may still keep the second."""
    pairs = [(100, 160), (100, 100), (200, 300)]
    each = spent(build, budget(increase=50), *pairs)
    assert (each.state, each.pairs) == ("exceeded", 3)
    assert each.exceeded == (("T-2@A1", 200, 300), ("T-0@A1", 100, 160))
    together = spent(build, budget(increase=60, over="mean"), *pairs)
    assert (together.state, together.exceeded) == ("kept", ())
    together = spent(build, budget(increase=53, over="mean"), *pairs)
    assert together.exceeded == (("", Fraction(400, 3), Fraction(560, 3)),)


def test_the_same_recordings_spend_nothing_new(build: Any) -> None:
    """Tokens are held where recordings differ only; that no pair does is no lack of measurement."""
    assert spent(build, budget(increase=0), (100, 160), same=True).state == "kept"
    assert spent(build, budget(increase=0), (100, 160)).state == "exceeded"


def test_what_was_not_measured_is_not_kept(build: Any) -> None:
    """A budget that no pair could be held against says so; it neither passes in silence nor blocks."""
    made = budget("cost_usd", increase=1)
    assert spent(build, made, (100, 100)).state == "not_measured"
    assert spent(build, budget(increase=10), (None, 100), (100, 100)).pairs == 1


def test_what_a_stale_task_will_spend_nobody_knows(build: Any) -> None:
    """The same recording cut short is no proof that nothing new is spent, and neither are two runs without a pair."""
    base, head = (
        build.side(build.result("T-1@A1", verdict), build.result("T-2@A1")) for verdict in (Verdict.PASS, Verdict.STALE)
    )
    made = budget(increase=10)
    (found,) = compare(base, head, "pr", Profile(budgets=(made,))).budgets
    assert (found.state, found.pairs) == ("not_measured", 0)
    (alone,) = compare(base, build.side(build.result("T-3@A1")), "pr", Profile(budgets=(made,))).budgets
    assert alone.state == "not_measured"


@pytest.mark.parametrize(("block", "code"), [(True, 1), (False, 0)])
def test_a_budget_may_block(block: bool, code: int, build: Any) -> None:
    """It fails the comparison where it says so, with the tasks that exceed it."""
    base, head = (
        build.side(build.result("T-1@A1", metrics=build.metrics(tokens), tape=str(tokens))) for tokens in (100, 120)
    )
    gate = compare(base, head, "pr", Profile(budgets=(budget(increase_percent=10, block=block),))).gate
    assert gate.exit_code == code
    reason = "a budget is exceeded (tokens: at most +10 % for each task): T-1@A1"
    assert gate.reasons == ((reason,) if block else ())
