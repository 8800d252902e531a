"""The catalog is whole, and some of it is judged here; `make mutants` judges all of it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from mutants.catalog import BEHAVIOURS, DEFECTS
from mutants.matrix import Outcome, did, judged, wrongs
from mutants.page import PAGE, page
from mutants.variant import Behaviour, Defect, Edit, Variant
from tapegate.load.suite import load_suite
from tapegate.oracles.catalog import CATALOG

ROOT = Path(__file__).parents[2]
SUITE = load_suite(ROOT)
EVALS = sorted({task.eval for task in SUITE.tasks})


@pytest.mark.parametrize("kind", [Defect, Behaviour])
def test_every_eval_has_two_of_each(kind: type[Variant]) -> None:
    """Two defects at least that it must catch, and two valid behaviours at least that it must let pass."""
    counted = Counter(one.eval for one in (*DEFECTS, *BEHAVIOURS) if isinstance(one, kind))
    assert {key: counted[key] for key in EVALS if counted[key] < 2} == {}
    assert set(counted) <= set(EVALS)


def test_no_two_are_the_same() -> None:
    """Two changes of one eval differ in what they change, not in their names alone."""
    changes = Counter((one.eval, one.edits, one.seed) for one in (*DEFECTS, *BEHAVIOURS))
    assert [change for change, count in changes.items() if count > 1] == []
    names = Counter((one.eval, one.name) for one in (*DEFECTS, *BEHAVIOURS))
    assert [name for name, count in names.items() if count > 1] == []
    assert all(one.edits or one.seed is not None for one in (*DEFECTS, *BEHAVIOURS))


@pytest.mark.parametrize("variant", [*DEFECTS, *BEHAVIOURS], ids=lambda one: f"{one.eval}: {one.name}")
def test_every_edit_has_its_place(variant: Variant) -> None:
    """What is replaced stands in Paperdesk exactly once, and the replacement compiles."""
    for edit in variant.edits:
        text = (ROOT / "src/paperdesk" / edit.file).read_text("utf-8")
        assert (text.count(edit.old), edit.old == edit.new) == (1, False)
        if edit.file.endswith(".py"):
            compile(text.replace(edit.old, edit.new), edit.file, "exec")


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda one: f"{one.eval}: {one.name}")
def test_every_defect_names_what_its_eval_declares(defect: Defect) -> None:
    """The metric is one that the eval declares, and the codes are codes of it."""
    task = next(task for task in SUITE.tasks if task.eval == defect.eval)
    assert defect.metric in task.grading.deterministic_metrics
    (oracle,) = [one for one in CATALOG if one.name == defect.metric]
    assert defect.codes
    assert defect.codes <= set(oracle.codes)


def test_the_page_is_the_catalog() -> None:
    """docs/mutants.md shows what is judged; `make mutants ARGS=--page` writes it anew."""
    assert PAGE.read_text("utf-8") == page()


def test_a_sample_is_judged_as_it_must_be() -> None:
    """The first defect and the first behaviour in code: what `make mutants` does with all of them."""
    sample = [next(one for one in kind if not one.records) for kind in (DEFECTS, BEHAVIOURS)]
    outcomes = list(judged(sample, 1))
    assert len(outcomes) == len(sample) + len({one.eval for one in sample})
    assert wrongs(outcomes) == {}


EDIT = (Edit("answer.py", "old", "new"),)
DEFECT = Defect(
    eval="E@A1", name="d", kind="code", edits=EDIT, metric="tool_trace", codes=frozenset({"forbidden_tool_called"})
)
BEHAVIOUR = Behaviour(eval="E@A1", name="b", kind="code", edits=EDIT)
SHIPPED = Outcome(Behaviour(eval="E@A1", name="as shipped", kind="code"), ("pass",), (), frozenset({"one"}))
CAUGHT = (("tool_trace", "forbidden_tool_called"),)


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (Outcome(DEFECT, ("fail",), CAUGHT, frozenset()), ""),
        (Outcome(DEFECT, ("pass", "fail"), CAUGHT, frozenset()), ""),
        (Outcome(DEFECT, ("pass",), (), frozenset()), "survives: pass"),
        (Outcome(DEFECT, ("stale",), CAUGHT, frozenset()), "survives: stale"),
        (Outcome(DEFECT, ("error",), CAUGHT, frozenset()), "survives: error"),
        (Outcome(DEFECT, ("needs_review",), CAUGHT, frozenset()), "survives: needs_review"),
        (Outcome(DEFECT, (), (), frozenset()), "survives: "),
        (Outcome(DEFECT, ("fail",), (("db_state", "row_count"),), frozenset()), "fails by db_state (row_count) and"),
        (Outcome(DEFECT, (), (), frozenset(), "cannot be recorded: no"), "cannot be recorded: no"),
        (Outcome(BEHAVIOUR, ("pass",), (), frozenset({"two"})), ""),
        (Outcome(BEHAVIOUR, ("pass",), (), frozenset({"one"})), "does nothing else than what is shipped"),
        (Outcome(BEHAVIOUR, ("pass", "stale"), (), frozenset({"two"})), "is refused: pass, stale"),
        (Outcome(BEHAVIOUR, (), (), frozenset()), "does nothing else"),
    ],
)  # fmt: skip
def test_what_counts_as_caught_and_as_let_pass(outcome: Outcome, why: str) -> None:
    """A defect is caught by `fail` and its metric alone; a behaviour passes and does something of its own."""
    said = wrongs([SHIPPED, outcome]).get(outcome.variant, "")
    assert (said == "") == (why == "")
    assert said.startswith(why)


def test_two_behaviours_that_do_the_same_are_one() -> None:
    """The second of them is wrong; so is an eval that does not pass as it is shipped."""
    again = Outcome(Behaviour(eval="E@A1", name="c", kind="code", seed=45), ("pass",), (), frozenset({"two"}))
    first = Outcome(BEHAVIOUR, ("pass",), (), frozenset({"two"}))
    assert wrongs([SHIPPED, first, again]) == {again.variant: "does the same as another one"}
    red = Outcome(SHIPPED.variant, ("fail",), CAUGHT, frozenset({"one"}))
    assert wrongs([red]) == {red.variant: "is refused: fail by tool_trace (forbidden_tool_called)"}


def test_who_came_first_is_nothing_that_an_agent_did(tmp_path: Path) -> None:
    """Sessions that follow arrival are numbered as they appear; the same trial of another case is another one."""

    def trial(case: str, *sessions: str) -> Path:
        path = tmp_path / "-".join((case, *sessions)) / case / "trial-1.jsonl"
        path.parent.mkdir(parents=True)
        lines = [{"event": "trial"}, *({"event": "data", "payload": {"session_id": one}} for one in sessions)]
        path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
        return path

    assert did([trial("E@A1", "s1", "s2")]) == did([trial("E@A1", "s2", "s1")])
    assert did([trial("E@A1", "s3", "s3")]) != did([trial("E@A1", "s3", "s4")])
    assert did([trial("E@A1[1]", "s1")]).isdisjoint(did([trial("E@A1[2]", "s1")]))
