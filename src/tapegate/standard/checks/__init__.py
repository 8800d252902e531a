"""Every check of `tapegate lint`, in the order of the docs."""

from __future__ import annotations

from tapegate.standard.check import Check
from tapegate.standard.checks import (
    change,
    generation,
    inputs,
    inventory,
    judge,
    matching,
    models,
    profiles,
    quality,
    recordings,
    scope,
    secrets,
    strings,
    tools,
    trials,
)

CHECKS: tuple[Check, ...] = (
    *inputs.CHECKS,
    *scope.CHECKS,
    *inventory.CHECKS,
    *matching.CHECKS,
    *strings.CHECKS,
    *tools.CHECKS,
    *quality.CHECKS,
    *judge.CHECKS,
    *models.CHECKS,
    *generation.CHECKS,
    *trials.CHECKS,
    *profiles.CHECKS,
    *secrets.CHECKS,
    *recordings.CHECKS,
    *change.CHECKS,
)
