"""The profiles of the config."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground

STANDARD = ("pr", "nightly", "weekly")
"""The standard's "CI Gate Profiles"."""

_CLOSE = 0.85  # `nigthly` is, `monthly` and `prod` are not


def _names(ground: Ground) -> Iterator[Problem]:
    """A name of one's own is no misspelling: `prod` and `monthly` are far enough away."""
    for name in ground.config.profiles:
        near = get_close_matches(name.casefold(), STANDARD, n=1, cutoff=_CLOSE)
        if name not in STANDARD and near:
            yield ground.at(
                "misspelt_profile",
                f"profile {name!r} is nearly {near[0]!r}, which does not have its settings",
                *("profiles", name),
                fix=f"rename it to {near[0]!r}, or give it a name that is less like it",
            )


def _review(ground: Ground) -> Iterator[Problem]:
    """The profile `pr` does not say `partial: true`."""
    profile = ground.config.profiles.get("pr")
    if profile is not None and profile.partial:
        yield ground.at(
            "partial_pr",
            "profile 'pr' lets a run of a selection pass, and a gate that skips tasks is none",
            *("profiles", "pr", "partial"),
            fix="remove `partial: true`",
        )


CHECKS = (
    Check(
        "profile_names",
        "No profile looks like a misspelt one of the standard's.",
        "note",
        _names,
        {"misspelt_profile": "A profile is nearly called like one of the standard's."},
    ),
    Check(
        "profile_whole",
        "The PR profile judges every task.",
        "finding",
        _review,
        {"partial_pr": "A run of a selection would pass as the PR gate."},
    ),
)
