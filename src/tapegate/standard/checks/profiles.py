"""The profiles of the config."""

from __future__ import annotations

from collections.abc import Iterator

from tapegate.load.suggest import did_you_mean, nearest
from tapegate.model.problem import Problem
from tapegate.standard.check import Check
from tapegate.standard.ground import Ground

STANDARD = ("pr", "nightly", "weekly")
"""The standard's "CI Gate Profiles"."""


def _names(ground: Ground) -> Iterator[Problem]:
    for name in ground.config.profiles:
        if name not in STANDARD and nearest(name, STANDARD) is not None:
            yield ground.at(
                "misspelt_profile",
                f"profile {name!r} looks like one of the standard's, and none of those has its settings",
                *("profiles", name),
                fix=did_you_mean(name, STANDARD),
            )


def _review(ground: Ground) -> Iterator[Problem]:
    profile = ground.config.profiles.get("pr")
    if profile is not None and profile.partial:
        yield ground.at(
            "partial_pr",
            "profile 'pr' lets a run of a selection pass, and a gate that skips tasks is none",
            *("profiles", "pr", "partial"),
            fix="remove `partial: true`",
        )


CHECKS = (
    Check("profile_names", "No profile is a misspelt one of the standard's.", "finding", _names),
    Check("profile_whole", "The PR profile judges every task.", "finding", _review),
)
