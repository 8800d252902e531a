"""`make mutants`: every defect must turn its eval red, and every valid behaviour must leave it green."""

from __future__ import annotations

import argparse
import os
import sys
import time

from mutants.catalog import BEHAVIOURS, DEFECTS
from mutants.matrix import Outcome, judged, wrongs
from mutants.page import PAGE, page
from mutants.variant import Defect, Variant


def main() -> int:
    """Judge what is selected; 1 where a defect survives, a behaviour is refused, or anything could not be judged."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("select", nargs="*", help="beginnings of evals: RET, AGT-08@A2 (default: all)")
    parser.add_argument("--page", action="store_true", help=f"write {PAGE.name} and judge nothing")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="default: one a core")
    options = parser.parse_args()
    if options.page:
        PAGE.write_text(page(), "utf-8")
        return 0
    chosen = [
        one
        for one in (*DEFECTS, *BEHAVIOURS)
        if not options.select or any(one.eval.startswith(word) for word in options.select)
    ]
    if not chosen:
        parser.error(f"no eval begins with {' or '.join(options.select)}")
    start = time.monotonic()
    outcomes = []
    for outcome in judged(chosen, options.jobs):
        outcomes.append(outcome)
        if sys.stderr.isatty():
            print(f"\r\x1b[2K{len(outcomes)} {outcome.variant.eval}", end="", file=sys.stderr, flush=True)
    wrong = wrongs(outcomes)
    _print(chosen, outcomes, wrong)
    good = len(chosen) - sum(one in wrong for one in chosen)
    print(f"\n{good} of {len(chosen)} as they must be, in {time.monotonic() - start:.0f} s")
    for variant, why in wrong.items():
        print(f"WRONG {variant.eval}: {variant.name}: {why}")
    return 1 if wrong else 0


def _print(chosen: list[Variant], outcomes: list[Outcome], wrong: dict[Variant, str]) -> None:
    by = {outcome.variant: outcome for outcome in outcomes}
    width = max(len(one.name) for one in chosen) + 2
    for key in sorted({one.eval for one in chosen}, key=lambda key: (key.partition("@")[2], key)):
        print(f"\n{key}")
        for one in (one for one in chosen if one.eval == key):
            verdicts = by[one].verdicts
            verdict = "fail" if "fail" in verdicts else "/".join(dict.fromkeys(verdicts)) or "not judged"
            by_what = ""
            if isinstance(one, Defect):
                codes = sorted({code for metric, code in by[one].found if metric == one.metric and code in one.codes})
                by_what = f"{one.metric}: {', '.join(codes)}"
            mark = "✗" if one in wrong else "●" if one.records else " "
            print(f"  {mark} {verdict:6} {one.name:{width}} {by_what}".rstrip())


if __name__ == "__main__":
    sys.exit(main())
