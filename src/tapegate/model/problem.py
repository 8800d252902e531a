"""What is wrong with an input, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one input: what, where, what was expected and how to fix it."""

    code: str
    """A stable snake_case id: `duplicate_key`, `hash_mismatch`."""
    message: str
    """What is wrong and what was expected, in one sentence; names the input with `!r`."""
    file: str | None = None
    """Path as the user would type it, relative to the project where it lies inside."""
    line: int | None = None
    """1-based; None where the whole file is meant."""
    column: int | None = None
    """1-based."""
    fix: str | None = None
    """What to do, as a sentence or a command."""

    def place(self) -> tuple[str, int, int]:
        """A sort key: file, line, column."""
        return (self.file or "", self.line or 0, self.column or 0)

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        head = f"{where}: " if where else ""
        fix = f"\n    fix: {self.fix}" if self.fix else ""
        return f"{head}{self.code}: {self.message}{fix}"
