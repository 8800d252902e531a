"""docs/mutants.md, written from the catalog."""

from __future__ import annotations

from pathlib import Path

from mutants.catalog import BEHAVIOURS, DEFECTS
from mutants.variant import Variant

PAGE = Path(__file__).parents[2] / "docs" / "mutants.md"

_HEAD = """\
# What the evals catch

An eval that has never failed proves nothing. Each eval here is put to deliberate defects of Paperdesk, in a copy of
the project: it must give `fail`, by the metric named; `stale` or `error` does not count. And it is put to changes that
are as good, run through the subject: it must pass, and what the agent does must differ from what is shipped and from
what it does in the others.

`make mutants` judges all of them and ends with an error where one survives or is refused; `make mutants ARGS=RET-01`
those of some evals. A change of code is judged on the shipped recordings. ● is judged on recordings made under it: a
changed prompt replayed is only stale.

This page is written from `tests/mutants` (`make mutants ARGS=--page`); a test holds it to that.
"""


def page() -> str:
    """The page as it should be."""
    return _HEAD + "".join(f"\n{_section(key)}" for key in evals())


def evals() -> list[str]:
    """The evals that have a variant, by path."""
    return sorted({one.eval for one in (*DEFECTS, *BEHAVIOURS)}, key=lambda key: (key.partition("@")[2], key))


def _section(key: str) -> str:
    rows = ["| change | of | must give |", "| --- | --- | --- |"]
    of_key = lambda one: one.eval == key  # noqa: E731
    for defect in filter(of_key, DEFECTS):
        codes = ", ".join(f"`{code}`" for code in sorted(defect.codes))
        rows.append(f"| {_name(defect)} | {defect.kind} | `fail` by `{defect.metric}`: {codes} |")
    rows += [f"| {_name(one)} | {one.kind} | `pass` |" for one in filter(of_key, BEHAVIOURS)]
    return "\n".join([f"## {key}", "", *rows, ""])


def _name(variant: Variant) -> str:
    return f"{variant.name}{' ●' if variant.records else ''}"
