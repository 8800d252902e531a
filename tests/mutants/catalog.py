"""All variants there are: each path has a file of its own, and a line here."""

from __future__ import annotations

from mutants import a1, a2, a3, a4, a5, a6, guardrails, local
from mutants.variant import Behaviour, Defect

PATHS = (a1, a2, a3, a4, a5, a6, guardrails, local)

DEFECTS: tuple[Defect, ...] = tuple(defect for path in PATHS for defect in path.DEFECTS)
BEHAVIOURS: tuple[Behaviour, ...] = tuple(behaviour for path in PATHS for behaviour in path.BEHAVIOURS)
