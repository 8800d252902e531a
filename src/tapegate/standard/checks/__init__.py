"""Every check of `tapegate lint`, in the order of the docs."""

from __future__ import annotations

from tapegate.standard.check import Check
from tapegate.standard.checks import inputs, inventory, profiles, recordings, scope

CHECKS: tuple[Check, ...] = (
    *inputs.CHECKS,
    *scope.CHECKS,
    *inventory.CHECKS,
    *profiles.CHECKS,
    *recordings.CHECKS,
)
