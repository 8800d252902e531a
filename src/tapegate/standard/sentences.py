"""Every sentence of the standard that binds, in our words, with what enforces it and what proves that.

The page "How the standard is enforced" is made of this; the standard's own text is not copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tapegate.standard.inventory import INVENTORY, Row
from tapegate.standard.methods import Method


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence that binds."""

    section: str
    """Under which heading or list it stands."""
    number: str
    """In its list; a letter where it is one of several points under a number."""
    gist: str
    """What it demands, in our words."""
    by: str
    """What enforces it beside the checks; where a machine cannot tell, why, and who can."""
    checks: tuple[str, ...] = ()
    """Ids of the checks of lint that enforce it."""
    tests: tuple[str, ...] = ()
    """What proves it, beside the defect that turns each of the checks red: a test, or the file of a metric's tests."""

    @property
    def ref(self) -> str:
        """How it is referred to."""
        return f"{self.section} {self.number}"


LINT = "tests/standard/test_lint.py::"
CHANGE = "tests/standard/test_change.py::"
TRIAL = "tests/grade/test_trial.py::"
BORDERLINE = "tests/grade/test_borderline.py::"
ENFORCED = "tests/standard/test_enforced.py::"
JUDGE = "tests/load/test_judge.py::"
AUDIT = "tests/cli/test_audit.py::"
METHODS = "tests/standard/test_methods.py::test_a_task_that_uses_a_method_is_seen"
PROVEN = LINT + "test_a_defect_turns_its_check_red"
"""The test that breaks what each check checks."""

_INVENTORY = "Mandatory Eval Inventory"
_POLICY = "Runtime LLM Minimization Policy"
_METRICS = "Required Metrics and Oracles"
_CHANGE = "Change Control Requirements"


def _general() -> Iterator[Sentence]:
    yield Sentence(
        "Overview",
        "1",
        "It is mandatory for every eval, new or changed.",
        "Lint looks at every task of a project, and a task that breaks a rule of its contract is never run.",
        ("readable", "contract"),
        ("tests/gate/test_behaviour.py::test_words_that_mean_nothing_are_bad_input",),
    )
    yield Sentence(
        "Scope",
        "1",
        "Every path with prompt behaviour of its own is in the table, with its files and its status.",
        "The table is `paths` in evals/tapegate.yaml.",
        ("scope_files", "scope_evals", "scope_prompts", "scope_exceptions"),
    )
    yield Sentence(
        "Scope",
        "2",
        "A new path is in the table before it is merged.",
        "A file that looks as if it held a prompt is found while no path covers it. The signs are a heuristic: a prompt"
        " in words that no sign knows is for the reviewer.",
        ("scope_prompts", "readable", "change_removed"),
        (CHANGE + "test_a_new_prompt_has_a_path_first",),
    )
    for number, gist, by, checks, tests in (
        (
            "1",
            "Outcomes are graded, nothing else.",
            "A task passes where an accepted outcome holds and no invariant broke; scores and judges decide nothing.",
            (),
            (
                TRIAL + "test_the_first_outcome_that_holds_is_named_and_the_others_are_kept",
                "tests/standard/test_enforced.py::test_a_quality_fact_decides_nothing",
            ),
        ),
        (
            "2",
            "No fixed sequence of tools, unless its order is critical to correctness.",
            "A single sequence is refused, and a fixed order without `order_critical` too. Whether the reason is a good"
            " one, a person knows.",
            ("contract", "readable"),
            ("tests/oracles/test_tool_trace.py::test_two_outcomes_with_the_same_single_sequence_are_a_fixed_order",),
        ),
        (
            "3",
            "Valid outputs that are equivalent pass.",
            "Accepted outcomes are alternatives, and one that adds nothing is refused. Whether a further outcome is"
            " missing, only somebody who knows the task can tell.",
            ("contract", "exact_strings"),
            (TRIAL + "test_the_first_outcome_that_holds_is_named_and_the_others_are_kept",),
        ),
        (
            "4",
            "Deterministic checks are the default, and enough for PR and nightly.",
            "A task without a deterministic metric is refused; the gate does not know the judge.",
            ("readable", "contract"),
            (ENFORCED + "test_the_gate_knows_no_judge", TRIAL + "test_without_any_metric_nothing_passes"),
        ),
        (
            "5",
            "Judges are the exception, under strict rules.",
            "`runtime_llm_judge` is off unless a task says otherwise, with its reason.",
            ("readable", "judge_gates", "judge_questions", "judge_share", "judge_candidates"),
            (JUDGE + "test_a_judge_has_its_terms",),
        ),
        (
            "6",
            "Safety, privacy and protocol are hard gates that no judge decides.",
            "Invariants and forbidden patterns come before every outcome, and one that broke fails the trial.",
            ("hard_gates", "judge_questions"),
            (TRIAL + "test_a_broken_invariant_fails_whatever_else_holds",),
        ),
    ):
        yield Sentence("Non-Negotiable Requirements", number, gist, by, checks, tests)


def _flexibility() -> Iterator[Sentence]:
    section = "Flexibility Standard"
    yield Sentence(section, "1", "An eval encodes what must always hold.", "", ("hard_gates", "contract"))
    yield Sentence(
        section,
        "2",
        "An eval encodes alternative shapes of a solution.",
        "There is at least one, each demands something, and none is accepted by another already.",
        ("readable", "contract"),
        ("tests/oracles/test_outcomes.py::test_an_outcome_covers_another_that_asks_at_least_as_much",),
    )
    yield Sentence(
        section,
        "3",
        "An eval encodes the tool paths that are acceptable.",
        "Any path is accepted unless an outcome says otherwise; a path that another rule excludes is refused.",
        ("contract",),
        ("tests/oracles/test_tool_trace.py::test_contradictions_are_found_at_load",),
    )
    yield Sentence(
        section,
        "4",
        "Numbers have bands of tolerance where that matters.",
        "A band is held against its slot. Where a number needs one, a person knows; that it was too tight shows as a"
        " result that is borderline.",
        ("contract",),
        ("tests/oracles/test_tolerances.py::test_a_tolerance_widens_its_slot",),
    )
    section = "Flexibility Standard, rules"
    yield Sentence(section, "1", "Exact strings only for ids, URLs and keys.", "", ("exact_strings",))
    yield Sentence(
        section,
        "2",
        "Slots, patterns and synonyms rather than exact strings.",
        "A second wording, a pattern or another slot settles the finding.",
        ("exact_strings",),
        ("tests/oracles/test_facts.py",),
    )
    yield Sentence(
        section,
        "3",
        "What must hold is apart from scores of quality.",
        "They are different fields, and a score never reaches the verdict.",
        ("quality_apart",),
        (ENFORCED + "test_a_quality_fact_decides_nothing",),
    )
    yield Sentence(
        section,
        "4",
        "A borderline result gets one more deterministic trial before it fails.",
        "The next recorded one, without which lint is not content.",
        ("borderline",),
        (BORDERLINE + "test_a_borderline_task_gets_the_next_recorded_trial_once",),
    )
    yield Sentence(
        section,
        "5",
        "What stays inconclusive needs review instead of failing.",
        "A person's decision on it (`tapegate accept`) holds for exactly the bytes that it was taken on.",
        (),
        (
            BORDERLINE + "test_without_a_further_recording_a_person_decides",
            "tests/grade/test_review.py::test_another_byte_needs_another_decision",
        ),
    )


def _judges() -> Iterator[Sentence]:
    yield Sentence(
        _POLICY,
        "1",
        "PR and nightly are graded deterministically only.",
        "Neither the commands of the gate nor what they import can call a judge.",
        (),
        (ENFORCED + "test_the_gate_knows_no_judge",),
    )
    yield Sentence(
        _POLICY,
        "2",
        "The weekly audit may ask a judge about sampled tasks only.",
        "`tapegate audit` judges what its week draws.",
        ("judge_share",),
        ("tests/grade/audit/test_draw.py::test_a_recorded_draw_cannot_be_widened",),
    )
    yield Sentence(
        _POLICY,
        "3",
        "At most 15 % of the tasks of a weekly run are sampled.",
        "The draw keeps the cap, and every recorded week is held against it again.",
        ("judge_share", "judge_candidates"),
        ("tests/grade/audit/test_draw.py::test_the_cap_holds_whatever_is_eligible",),
    )
    yield Sentence(
        _POLICY,
        "4",
        "A judge's failure alone blocks no merge.",
        "The exit code of an audit does not depend on a judge, and a task that a judge may score does not block.",
        ("judge_gates",),
        (AUDIT + "test_an_audit_is_recorded_and_replays_to_the_byte",),
    )
    yield Sentence(
        _POLICY,
        "5",
        "Every task of a judge has a deterministic fallback.",
        "`grading.judge.fallback` names a metric that the task declares; its findings stand beside the judge's word.",
        ("readable",),
        (JUDGE + "test_a_judge_has_its_terms",),
    )
    yield Sentence(
        _POLICY,
        "6",
        "Judge model and rubric prompt are pinned for each run.",
        "`judge` in evals/tapegate.yaml holds model, version and the sha256 of the template; another one is refused.",
        ("readable", "models"),
        (JUDGE + "test_the_judge_is_pinned", AUDIT + "test_another_prompt_is_refused"),
    )
    for number, gist in (("1", "Open-ended synthesis is a reason."), ("2", "Calibration of the rubric is a reason.")):
        yield Sentence(
            f"{_POLICY}, allowed",
            number,
            gist,
            "`reason` takes these two and no other. Whether it is the true one, the reader of the justification knows.",
            ("readable",),
            (JUDGE + "test_a_judge_has_its_terms",),
        )
    yield Sentence(
        f"{_POLICY}, disallowed",
        "1",
        "Convenience is no reason where a deterministic check could be made.",
        "That nobody can make one is nothing that a machine knows: the justification is there for a person to doubt.",
        ("judge_questions",),
    )
    yield Sentence(
        f"{_POLICY}, disallowed",
        "2",
        "Safety, privacy and protocol are no question for a judge.",
        "",
        ("judge_questions",),
    )
    yield Sentence(
        f"{_POLICY}, disallowed",
        "3",
        "Tool traces and database state are no question for a judge.",
        "",
        ("judge_questions",),
    )
    yield Sentence(
        "Required Test Case Schema",
        "1",
        "Every task has the standard's schema.",
        "Its example loads and runs word for word; `tapegate schema task` prints the JSON Schema.",
        ("readable",),
        (
            "tests/load/test_task.py::test_the_standards_example_loads_word_for_word",
            "tests/run/test_standard_example.py::test_it_runs_unmodified",
        ),
    )


def _inventory() -> Iterator[Sentence]:
    """The evals and methods of each row; A1 and A2 share one."""
    shown = {"A1": "A1 and A2", "content_filter": "guardrails", "orchestration": "guardrails"}
    before = {"orchestration": len(INVENTORY["content_filter"].evals)}
    for name, row in INVENTORY.items():
        if name == "A2":
            continue
        section = f"{_INVENTORY}, {shown.get(name, name)}"
        together = [guardrail for other, guardrail in INVENTORY.items() if shown.get(other) == "guardrails"]
        together = together if row in together else [row]
        for place, (eval_id, about) in enumerate(row.evals.items(), 1 + before.get(name, 0)):
            yield Sentence(
                f"{section}, evals",
                str(place),
                f"{eval_id}: {about}.",
                "",
                ("inventory", "mandatory"),
                (LINT + "test_a_path_lacks_each_of_its_mandatory_evals",),
            )
        for method in row.methods:
            metric = f", and declares `{method.metric}`" if method.metric else ""
            yield Sentence(
                f"{section}, methods",
                _item(method, together),
                f"{method.name[0].upper()}{method.name[1:]}.",
                f"A task has {method.fix}{metric}.",
                ("methods",),
                (METHODS,)
                if method.name != "tool-trace parsing of the agent's stream (`d:` frames)"
                else ("tests/standard/test_methods.py::test_tools_are_parsed_where_the_stream_tells_of_them",),
            )
    yield Sentence(
        f"{_INVENTORY}, A5, optional",
        "1",
        "RET-07 checks the polarity of a live model, in the weekly audit.",
        "No row of the inventory asks for it.",
        (),
        ("tests/standard/test_inventory.py::test_every_mandatory_eval_is_in_its_row",),
    )
    yield Sentence(
        f"{_INVENTORY}, A5, note",
        "1",
        "RET-07 is never a gate of PR or nightly.",
        "Their profiles leave it out.",
        ("mandatory",),
        ("tests/run/test_plan.py::test_an_eval_of_the_weekly_audit_is_in_no_gate",),
    )
    points = (
        ("1a", "AGT-15 covers hidden tags inside one another.", "content_filter"),
        ("1b", "AGT-15 covers tags that are not closed, cut anywhere.", "content_filter"),
        ("1c", "AGT-15 lets nothing hidden and no part of a tag be seen.", "content_filter"),
        ("2a", "AGT-16 covers sessions that are created at the same time.", "orchestration"),
        ("2b", "AGT-16 covers that streams of mixed formats are whole.", "orchestration"),
        ("2c", "AGT-16 covers that the answer that is kept is the one that was shown.", "orchestration"),
    )
    for number, gist, metric in points:
        yield Sentence(
            f"{_INVENTORY}, guardrails, evals",
            number,
            gist,
            f"`{metric}_contract` has conditions for it. That the eval uses all of them, its reviewer sees.",
            ("methods",),
            (f"tests/oracles/test_{metric}_contract.py::test_table",),
        )


def _item(method: Method, rows: Iterable[Row]) -> str:
    """The number of a method, with a letter where its item names several."""
    same = [other for row in rows for other in row.methods if other.number == method.number]
    return f"{method.number}{'abcdef'[same.index(method)] if len(same) > 1 else ''}"


def _metrics() -> Iterator[Sentence]:
    names = (
        *("tool_trace", "citation_contract", "output_hygiene", "schema_contract", "db_state", "differential_ab"),
        *("latency_cost", "content_filter_contract", "orchestration_contract"),
    )
    for number, name in enumerate(names, 1):
        yield Sentence(
            _METRICS,
            str(number),
            f"`{name}` is a metric that suites use.",
            "A metric that is not known is refused, and an expectation without its metric too.",
            ("contract",),
            (f"tests/oracles/test_{name}.py::test_table",),
        )
    catalog = "tests/oracles/test_catalog.py::TestMetric::"
    section = f"{_METRICS}, new metrics"
    docs = "A metric whose docstring lacks one of the fixed sections is refused."
    whole = catalog + "test_it_has_everything_a_metric_needs"
    yield Sentence(section, "1", "A new metric says why it is deterministic.", docs, ("metrics",), (whole,))
    yield Sentence(
        section,
        "2",
        "A new metric has three unit tests with fixtures, or more.",
        "The catalog's tests refuse one without them, and one whose tests a silent metric would pass; a metric of a"
        " project brings its cases along.",
        ("metrics",),
        (
            catalog + "test_it_has_fixture_tests_true_and_false",
            catalog + "test_its_table_fails_when_it_finds_nothing",
        ),
    )
    yield Sentence(
        section,
        "3",
        "A new metric says how false positives and false negatives are kept low.",
        docs + " Whether what it says is true, its reviewer knows.",
        ("metrics",),
        (whole, "tests/oracles/test_manual.py::test_a_metric_without_a_section_is_refused"),
    )


def _profiles() -> Iterator[Sentence]:
    section = "CI Gate Profiles"
    yield Sentence(
        section,
        "1a",
        "The PR gate runs deterministic checks only.",
        "",
        (),
        (ENFORCED + "test_the_gate_knows_no_judge",),
    )
    yield Sentence(
        section,
        "1b",
        "The PR gate runs every mandatory eval.",
        "It runs every task there is, and a run of a selection never passes as one.",
        ("inventory", "mandatory", "profile_whole", "profile_names"),
        ("tests/grade/test_gate.py::test_a_selection_passes_only_where_the_profile_accepts_one",),
    )
    yield Sentence(
        section,
        "2a",
        "Nightly runs the whole suite, and flaky-prone tasks three times.",
        "",
        ("recordings_made",),
        ("tests/run/test_plan.py::test_nightly_runs_flaky_tasks_three_times",),
    )
    yield Sentence(
        section,
        "3a",
        "The weekly audit samples judge tasks, at most 15 %.",
        "",
        ("judge_share",),
        ("tests/grade/audit/test_draw.py::test_the_cap_is_fifteen_percent_in_integers",),
    )


def _changes() -> Iterator[Sentence]:
    yield Sentence(
        _CHANGE,
        "1",
        "Scope and contracts that change are updated in the table and the tasks first.",
        "The table and the tasks are what is enforced, so that an outdated one is found.",
        ("change_noted", "change_removed", "scope_prompts"),
        (CHANGE + "test_a_path_leaves_no_file_without_one",),
    )
    yield Sentence(
        _CHANGE,
        "2",
        "A change of a path adds or updates its evals.",
        "A new recording counts too, for a changed prompt is recorded again. Else the authors say why none is"
        " concerned, in words that a reviewer reads.",
        ("change_covered", "scope_evals"),
        (CHANGE + "test_what_answers_a_change_of_a_path", CHANGE + "test_the_authors_may_say_why"),
    )
    yield Sentence(
        _CHANGE,
        "3",
        "What was accepted stays accepted, unless it is given up on purpose.",
        "",
        ("change_compatible", "change_removed"),
        (CHANGE + "test_what_was_accepted_still_is",),
    )
    yield Sentence(
        _CHANGE,
        "4",
        "A changed contract has a migration note.",
        "`migrations` of the task, one note for each change.",
        ("change_noted",),
        (CHANGE + "test_each_change_needs_a_note_of_its_own", CHANGE + "test_history_is_kept"),
    )
    section = f"{_CHANGE}, judges"
    yield Sentence(
        section,
        "1",
        "A judge is justified in the task.",
        "`grading.judge.justification`.",
        ("readable",),
        (JUDGE + "test_a_judge_has_its_terms",),
    )
    yield Sentence(
        section,
        "2",
        "A judge has a deterministic fallback.",
        "`grading.judge.fallback`.",
        ("readable",),
        (JUDGE + "test_a_judge_has_its_terms",),
    )
    yield Sentence(section, "3", "A task of a judge does not block.", "", ("judge_gates",))


def _checklist() -> Iterator[Sentence]:
    for number, gist in enumerate(
        (
            "Whether a path of the table is touched.",
            "Whether invariants are apart from quality.",
            "Whether several forms of a solution are accepted.",
            "Whether PR and nightly need no judge.",
            "Whether judges are capped and block nothing.",
            "Whether safety, privacy and protocol are hard gates.",
        ),
        1,
    ):
        yield Sentence(
            "Compliance Checklist",
            str(number),
            gist,
            "`tapegate lint --against REV` answers it from facts, as Markdown and as JSON.",
            (),
            (f"tests/standard/test_checklist.py::test_question_{number}",),
        )


def _ordered(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Section by section, and by number within one."""
    sections: dict[str, list[Sentence]] = {}
    for sentence in sentences:
        sections.setdefault(sentence.section, []).append(sentence)
    for section in sections.values():
        yield from sorted(section, key=lambda sentence: sentence.number)


SENTENCES: tuple[Sentence, ...] = tuple(
    _ordered(
        (
            *_general(),
            *_flexibility(),
            *_judges(),
            *_inventory(),
            *_metrics(),
            *_profiles(),
            *_changes(),
            *_checklist(),
        )
    )
)
"""All of them, in the standard's order."""
