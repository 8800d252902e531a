"""`make bench`: what Tapegate does, measured beside what others do, as ratios within one run.

Absolute times depend on the machine and its load; ratios of things measured in turns, in one run, hardly do.

    python tests/bench [NAME]...       names: reading, lookups, serving, starting, linting; all by default
"""

from __future__ import annotations

import sys

from commands import linting, starting
from lookup import lookups
from reading import reading
from serving import serving

WORKS = {work.__name__: work for work in (reading, lookups, serving, starting, linting)}


def main() -> None:
    """Measure and print one table, line by line."""
    print("| work | Tapegate | beside it | ratio |")
    print("| --- | ---: | ---: | ---: |", flush=True)
    for name in sys.argv[1:] or WORKS:
        for row in WORKS[name]():
            print(f"| {row.what} | {row.ours} | {row.other} | {row.ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
