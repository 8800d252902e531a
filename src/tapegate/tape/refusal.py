"""How a cassette is refused: what is wrong, where, and what restores it."""

from __future__ import annotations

from tapegate.errors import CassetteError
from tapegate.model.problem import Problem


def refusal(code: str, message: str, file: str, line: int | None = None, fix: str | None = None) -> CassetteError:
    """The error for a cassette that cannot be read; `fix` where restoring it is not the answer."""
    fix = fix or (
        f"restore the committed file (`git checkout -- {file}`) or record it again; "
        "`tapegate cassette verify` checks every recording"
    )
    return CassetteError(Problem(code, message, file=file, line=line, fix=fix))
