"""Holds the README to what the gate prints: each line that it shows is one of the gate's, in the same order.

    python .ci/readme_gate.py PRINTED

PRINTED holds what `make gate` printed. In the README, a line `…` leaves lines out, and a line that ends with `…` shows
the beginning of one. Columns may stand closer together than in the whole table.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEFORE = "`make gate` sets itself up in `.venv` and prints"
CUT = "…"


def main() -> int:
    """1 where the README shows a line that the gate did not print, or not there."""
    shown = block((ROOT / "README.md").read_text("utf-8"))
    if not any(line != CUT for line in shown):
        print("README.md shows nothing of what the gate prints", file=sys.stderr)
        return 1
    wrong = first_wrong(shown, Path(sys.argv[1]).read_text("utf-8").splitlines())
    if wrong:
        print(f"README.md shows a line that the gate did not print there: {wrong}", file=sys.stderr)
        return 1
    return 0


def block(readme: str) -> list[str]:
    """The lines of the code block that shows what the gate prints; none where there is no such block."""
    _, _, rest = readme.partition(BEFORE)
    _, _, code = rest.partition("```text\n")
    return code.partition("\n```")[0].splitlines() if code else []


def first_wrong(shown: list[str], printed: list[str]) -> str | None:
    """The first line of `shown` that `printed` does not hold behind the lines before it."""
    ahead = iter(" ".join(line.split()) for line in printed)
    for line in (" ".join(line.split()) for line in shown):
        if line == CUT:
            continue
        whole = not line.endswith(CUT)
        beginning = line.removesuffix(CUT).rstrip()
        if not any(other == line if whole else other.startswith(beginning) for other in ahead):
            return line
    return None


if __name__ == "__main__":
    sys.exit(main())
