"""Every check of lint: silent on a sound project, and red when what it checks is broken."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tapegate.errors import CassetteError
from tapegate.load.suite import load_suite
from tapegate.model.problem import Problem
from tapegate.model.task import JudgeTerms, Task
from tapegate.oracles.catalog import CATALOG
from tapegate.oracles.manual import SECTIONS
from tapegate.standard.checks import CHECKS
from tapegate.standard.inventory import INVENTORY
from tapegate.standard.lint import lint

ROOT = Path(__file__).parents[2]
TASK = "evals/retrieval/RET-01@P1.yaml"
CONFIG = "evals/tapegate.yaml"
FOLDER = "cassettes/retrieval/RET-01@P1"
CASSETTE = f"{FOLDER}/trial-1.yaml"
PINS = f"{FOLDER}/pins.json"
ORACLE = "evals/oracles/words.py"
AUDIT = "cassettes/audit-2026-W47/audit.json"

OPEN = {"schema_contract", "citation_contract"}
"""Metrics that leave a question to a judge."""
HARD_EVALS = ["RET-05", "AGT-04", "AGT-15", "AGT-16"]

MAIN_PROMPT = ["RET-01", "RET-02", "RET-03", "RET-04", "RET-05", "AGT-08"]


def test_a_sound_project_is_clean(bench: Any) -> None:
    """No finding, no note, nothing skipped, exit code 0."""
    report = bench.lint()
    assert (report.findings, report.skipped, report.exit_code, report.tasks) == ((), (), 0, 1)


def test_the_shipped_project_has_no_finding() -> None:
    """This repository passes its own lint."""
    if not (ROOT / CONFIG).exists():
        pytest.skip("the repository has no evals yet")
    report = lint(ROOT)
    assert [finding for finding in report.findings if finding.severity != "note"] == []
    assert report.exit_code == 0


def test_checks_have_ids_of_their_own() -> None:
    """Two checks of one id could not be told apart; each says in a sentence what it holds."""
    assert len({check.id for check in CHECKS}) == len(CHECKS)
    assert all(check.doc.endswith(".") and check.id.isidentifier() for check in CHECKS)


def _break_input(bench: Any) -> None:
    bench.swap(TASK, "single_turn", "single_trun")


def _break_contract(bench: Any) -> None:
    bench.swap(TASK, "[tool_trace]", "[tool_trase]")


METRIC = """\
from tapegate.oracles.oracle import Oracle

class Words(Oracle):
    name, version, codes, slots, invariants = {name!r}, 1, {{"x": "y"}}, {{}}, {{}}
"""


def _bare_metric(bench: Any) -> None:
    bench.put("evals/oracles/words.py", METRIC.format(name="words"))


def _colliding_metric(bench: Any) -> None:
    sections = "".join(f"\n\n    {title}\n    {'-' * len(title)}\n    Words." for title in SECTIONS)
    whole = METRIC.format(name="tool_trace").replace("(Oracle):", f'(Oracle):\n    """Words.{sections}\n    """')
    case = """
    task = {"expect": {"required_invariants": ["no_words"], "accepted_outcomes": [{}]}}
    trace = Trace("CASE-01@A1", 1, (), (), Account(), Ending("completed"))
    cases = (Case("a", task, trace), Case("b", task, trace), Case("c", {}, trace, ("x",)))

    def broken(self, task, trace):
        return () if task.expect.required_invariants else [Unmet("x", "y", ())]
"""
    imports = """\
from tapegate.model.finding import Unmet
from tapegate.model.trace import Account, Ending, Trace
from tapegate.oracles.case import Case
"""
    bench.put("evals/oracles/words.py", imports + whole + case)


def _broken_metric(bench: Any) -> None:
    bench.put("evals/oracles/words.py", "\nraise OSError('no')\n")


def _no_metric(bench: Any) -> None:
    bench.put("evals/oracles/words.py", "x = 1\n")


def _break_dialect(bench: Any) -> None:
    bench.config("stream: text", "stream: txet")


def _break_scope_file(bench: Any) -> None:
    (bench.root / "src/agent.py").unlink()


def _break_scope_glob(bench: Any) -> None:
    (bench.root / "src/prompts/deep/main.md").rename(bench.root / "src/prompts/deep/main.txt")


def _break_scope_folder(bench: Any) -> None:
    bench.config("src/agent.py", "src/prompts/")


def _break_scope_evals(bench: Any) -> None:
    bench.config("subjects:", "  P2: {title: x, status: planned, files: [src/agent.py], subject: desk}\nsubjects:")


def _break_profile_name(bench: Any) -> None:
    bench.config("subjects:", "profiles: {nigthly: {}}\nsubjects:")


def _break_profile(bench: Any) -> None:
    bench.config("subjects:", "profiles: {pr: {partial: true}}\nsubjects:")


def _break_cassette(bench: Any) -> None:
    bench.put(CASSETTE, (bench.root / CASSETTE).read_bytes()[:-20])


def _remove_cassette(bench: Any) -> None:
    (bench.root / CASSETTE).unlink()


def _break_pins(bench: Any) -> None:
    bench.put(PINS, "{")


def _unpin(bench: Any) -> None:
    (bench.root / PINS).unlink()


def _stray(bench: Any) -> None:
    bench.put("cassettes/retrieval/RET-01@P1/old.yaml", "x")


def _orphan(bench: Any) -> None:
    bench.record("RET-09@P1")


def _moved_suite(bench: Any) -> None:
    bench.record("RET-01@P1", suite="elsewhere")


def _secret(bench: Any) -> None:
    bench.record("RET-01@P1", b'{"key": "AKIA' + b'QYLPMN5HHHFPZAM2"}')


def _planted_key(bench: Any) -> None:
    bench.swap(TASK, "input: What", "input: 'My key is AKIA" + "QYLPMN5HHHFPZAM2.' # What")


def _key_in_frames(bench: Any) -> None:
    bench.put("evals/fixtures/stream.txt", '0:"My key is AKIAQYLP"\n0:"MN5HHHFPZAM2, keep it."\n')


def _packed_fixture(bench: Any) -> None:
    bench.put("evals/fixtures/big.gz", gzip.compress(bytes(65 << 20), 1))


def _large_fixture(bench: Any) -> None:
    bench.put("evals/fixtures/big.bin", bytes(10_000_001))


def _stray_draft(bench: Any) -> None:
    bench.put(f"{FOLDER}/.trial-1.yaml-0123456789abcdef", "x")


def _forge_pin(bench: Any) -> None:
    bench.swap(PINS, '"machine": "linux"', '"machine": "fast"')


def _mislabel(bench: Any) -> None:
    bench.record("RET-01@P1", encoding="br")


def _bomb(bench: Any) -> None:
    bench.record("RET-01@P1", gzip.compress(bytes(65 << 20), 1))


def _unrecorded(bench: Any) -> None:
    bench.swap(TASK, "grading:", "trials: 3\ngrading:")


def _declare_row(bench: Any) -> None:
    bench.config("    subject: desk", "    subject: desk\n    inventory: content_filter")


def _soften_mandatory(bench: Any) -> None:
    bench.config("    subject: desk", "    subject: desk\n    inventory: A1")
    bench.swap(TASK, "grading:", "blocking: false\ngrading:")


def _match_loosely(bench: Any) -> None:
    bench.config("    subject: desk", "    subject: desk\n    inventory: A1")
    bench.swap(TASK, "grading:", "setup: {match: conversation}\ngrading:")


def _forget_row(bench: Any) -> None:
    bench.config("subjects:", "  A3: {title: x, status: planned, files: [src/agent.py], subject: desk}\nsubjects:")


def _prompt_outside(bench: Any) -> None:
    bench.put("src/critic_prompt.md", "Score the passage.")


def _idle_exception(bench: Any) -> None:
    bench.config("subjects:", "unscoped:\n  - files: [src/agent.py]\n    reason: it has no prompt\nsubjects:")


def _weekly_gate(bench: Any) -> None:
    bench.config("    subject: desk", "    subject: desk\n    inventory: A5")
    bench.task("RET-07@P1")


def _one_wording(bench: Any) -> None:
    _outcome(bench, "required_slots: {facts: [{name: rain, any_of: [it will rain all day]}]}", "schema_contract")


LONG = "it will rain all day"


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (f"required_slots: {{facts: [{{name: x, any_of: [{LONG}]}}]}}", 1),
        (f"required_slots: {{facts: [{{name: x, any_of: [{LONG}, rain]}}]}}", 0),
        (f"required_slots: {{facts: [{{name: x, all: [rain, {LONG}]}}]}}", 1),
        (f"required_slots: {{lists: [{{name: x, items: [{LONG}]}}]}}", 1),
        (f"required_slots: {{lists: [{{name: x, items: [{{any_of: [{LONG}]}}]}}]}}", 1),
        (f"required_slots: {{lists: [{{name: x, items: [{{any_of: [{LONG}, rain]}}]}}]}}", 0),
        (f"required_slots: {{json: {{a: {LONG}}}}}", 1),
        (f"required_slots: {{json: {{a: {{b: [x, {LONG}]}}}}}}", 1),
        (f"required_slots: {{json: {{a: {{$any_of: [{LONG}]}}}}}}", 1),
        (f"required_slots: {{json: {{a: {{$any_of: [{LONG}, rain]}}}}}}", 0),
        (f"required_slots: {{json: {{a: {{$says: [{LONG}]}}}}}}", 0),
        (f"required_slots: {{json_schema: {{properties: {{a: {{const: {LONG}}}}}}}}}", 1),
        (f"required_slots: {{json_schema: {{properties: {{a: {{enum: [{LONG}]}}}}}}}}", 1),
        (f"required_slots: {{json_schema: {{properties: {{a: {{enum: [{LONG}, rain]}}}}}}}}", 0),
        (f"required_slots: {{json_schema: {{properties: {{const: {{description: {LONG}}}}}}}}}", 0),
        (f"required_slots: {{prefix: {LONG}}}", 0),
        (f"tool_arguments: {{a: [{{arguments: {{q: {LONG}}}}}]}}", 1),
        ("tool_arguments: {a: [{arguments: {q: rain}}]}", 0),
        (f"state: {{t: {{rows: [{{where: {{c: {LONG}}}}}]}}}}", 1),
        (f"state: {{t: {{rows: [{{columns: {{c: {LONG}}}}}]}}}}", 1),
    ],
)
def test_every_place_of_a_text_is_looked_at(condition: str, found: int, bench: Any) -> None:
    """Facts, lists, JSON, schemas, arguments and rows; a second wording is all that is needed."""
    _outcome(bench, condition, "tool_trace")
    (task,) = load_suite(bench.root).tasks
    (check,) = [each for each in CHECKS if each.id == "exact_strings"]
    assert len([*check.find(SimpleNamespace(cases=[task]))]) == found  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fact", "code"),
    [
        ("{name: No hidden-tag leak, any_of: [clean]}", "quality_invariant"),
        ("{name: x, any_of: ['/canary/']}", "quality_invariant"),
        ("{name: x, all: [canary]}", "quality_invariant"),
        ("{name: x, any_of: ['<thinking>']}", "quality_invariant"),
        ("{name: x, all: ['/home/ada/x']}", "quality_invariant"),
        ("{name: rain, any_of: [drizzle]}", "quality_decides"),
        ("{name: x, any_of: [rain, wet]}", "quality_decides"),
        ("{name: x, any_of: [rain]}", None),
    ],
)
def test_what_must_hold_is_not_scored(fact: str, code: str | None, bench: Any) -> None:
    """By its name, by a forbidden pattern, a hidden tag or a path in it, or because it is demanded anyway."""
    _outcome(bench, "required_slots: {facts: [{name: rain, any_of: [rain, wet]}]}", "schema_contract, output_hygiene")
    bench.swap(TASK, "grading:", "  forbidden_patterns: [canary]\ngrading:")
    _grading(bench, f"quality: {{facts: [{fact}]}}")
    found = [each.id for each in bench.lint().findings if each.check == "quality_apart"]
    assert found == ([code] if code is not None else [])


def _scored_invariant(bench: Any) -> None:
    _grading(bench, "quality: {facts: [{name: no hidden tag leak, any_of: [nothing hidden]}]}")


def _scored_and_demanded(bench: Any) -> None:
    _outcome(bench, "required_slots: {facts: [{name: rain, any_of: [rain, wet]}]}", "schema_contract")
    _grading(bench, "quality: {facts: [{name: rain, any_of: [drizzle]}]}")


def _judge(
    bench: Any, terms: str = "", *, metrics: str = "tool_trace, schema_contract", key: str = "RET-01@P1"
) -> None:
    """A task that a judge may score, among enough others; it blocks nothing."""
    for number in range(10, 20):
        bench.task(f"RET-{number}@P1")
    if key != "RET-01@P1":
        bench.task(key)
    file = f"evals/retrieval/{key}.yaml"
    slot = "\n      required_slots: {sentences_max: 9}" if "schema" in metrics else ""
    bench.swap(file, "[search_local]", f"[search_local]{slot}")
    bench.swap(file, "[tool_trace]", f"[{metrics}]\n  runtime_llm_judge: audit{terms}")
    bench.swap(file, "grading:", "blocking: false\ngrading:")


TERMS = "\n  judge: {reason: open_ended_synthesis, justification: prose, fallback: %s}"


def _judge_without_terms(bench: Any) -> None:
    _judge(bench)


def _judge_without_fallback(bench: Any) -> None:
    _judge(bench, TERMS % "citation_contract")


def _judge_that_blocks(bench: Any) -> None:
    _judge(bench, TERMS % "schema_contract")
    bench.swap(TASK, "blocking: false\n", "")


def _judge_of_tools(bench: Any) -> None:
    _judge(bench, TERMS % "tool_trace")


def _judge_of_safety(bench: Any) -> None:
    _judge(bench, TERMS % "schema_contract", key="RET-05@P1")


def _many_candidates(bench: Any) -> None:
    _judge(bench, TERMS % "schema_contract", key="RET-10@P1")
    for number in (11, 12):
        text = (bench.root / "evals/retrieval/RET-10@P1.yaml").read_text()
        bench.put(f"evals/retrieval/RET-{number}@P1.yaml", text.replace("RET-10", f"RET-{number}"))


def _audit(bench: Any, **changed: Any) -> None:
    """A recorded week of a run of seven tasks, of which one was drawn."""
    draw = {"week": "2026-W47", "n": 7, "cap": 1, "eligible": ["RET-01@P1"], "sample": ["RET-01@P1"], **changed}
    judge = {"model": "m", "model_version": "1", "template_id": "t", "template_sha256": "0", "parameters": {}}
    scores = {"accuracy_score": 2, "faithfulness_score": 2}
    rows = [
        {"key": key, "trial": 1, "deterministic": scores, "judge": scores, "evaluator_error": ""}
        for key in (*draw["sample"], *draw["eligible"])
    ]
    record = {"format": 1, "as_of": "2026-11-20", "draw": draw, "judge": {**judge, "overridden": []}, "rows": rows}
    bench.put(AUDIT, json.dumps(record))


def _judge_of_many(bench: Any) -> None:
    keys = ["RET-01@P1", "RET-02@P1"]
    drawn = min(keys, key=lambda key: hashlib.sha256(f"2026-W47\n{key}".encode()).hexdigest())
    _audit(bench, eligible=keys, sample=[drawn])


def _judge_of_others(bench: Any) -> None:
    _audit(bench, sample=[])


def _broken_audit(bench: Any) -> None:
    bench.put(AUDIT, "{")


def _floating_subject(bench: Any) -> None:
    bench.config("    stream: text", "    stream: text\n    env: {DESK_MODEL: gpt-4o}")


def _floating_recording(bench: Any) -> None:
    bench.record("RET-01@P1", b'{"model": "claude-sonnet-latest", "messages": []}')


def _race(bench: Any) -> None:
    bench.record("RET-01@P1", statuses=(200, 429))


def _misspell_tool(bench: Any) -> None:
    bench.swap(TASK, "[search_local]", "[search_local, web_search]\n      forbidden_tools: [web_serach]")


def _hide_prompt(bench: Any) -> None:
    service = "services:\n  model: {address: https://model.example/v1, base_url_env: [X_URL]}\n"
    rule = "normalisers:\n  - service: model\n    path: messages[*].content\n    reason: it moves\n"
    bench.config("subjects:", f"{service}{rule}subjects:")
    bench.record("RET-01@P1", b'{"model": "m-1", "messages": [{"role": "system", "content": "Hi"}], "temperature": 0}')


def _hot(bench: Any) -> None:
    bench.record("RET-01@P1", b'{"model": "m", "messages": [], "temperature": 0.7, "top_p": 1, "seed": 42}')


def _lukewarm(bench: Any) -> None:
    bench.record("RET-01@P1", b'{"model": "m", "messages": [], "max_completion_tokens": 1024}')


def _lonely_band(bench: Any) -> None:
    _outcome(bench, "required_slots: {sentences_max: 9}", "schema_contract")
    bench.swap(TASK, "grading:", "  borderline: {sentences_max: {abs: 1}}\ngrading:")


def _long_quarantine(bench: Any, until: str = "2026-01-31") -> None:
    line = f"quarantine: {{reason: flaky search, owner: ann, until: {until}}}"
    bench.swap(TASK, "grading:", f"{line}\ngrading:")


def _endless_quarantine(bench: Any) -> None:
    _long_quarantine(bench, "9999-12-31")


def _quarantine_mandatory(bench: Any) -> None:
    bench.config("    subject: desk", "    subject: desk\n    inventory: A1")
    _endless_quarantine(bench)


def _change_prompt(bench: Any) -> None:
    bench.remember()
    bench.put("src/prompts/deep/main.md", "Answer briefly.")


def _change_contract(bench: Any) -> None:
    bench.remember()
    bench.swap(TASK, "[search_local]", "[search_local, read_paper]")


def _rewrite_history(bench: Any) -> None:
    bench.swap(TASK, "grading:", "migrations: [{note: the first}]\ngrading:")
    bench.remember()
    bench.swap(TASK, "the first", "the only")


def _drop_outcome(bench: Any) -> None:
    bench.remember()
    bench.swap(TASK, "[search_local]", "[read_paper]")
    bench.swap(TASK, "grading:", "migrations: [{note: papers are read first}]\ngrading:")


def _remove_eval(bench: Any) -> None:
    bench.task("RET-02@P1")
    bench.remember()
    (bench.root / "evals/retrieval/RET-02@P1.yaml").unlink()
    shutil.rmtree(bench.root / "cassettes/retrieval/RET-02@P1")


def _remove_path(bench: Any) -> None:
    bench.config("subjects:", "  P2: {title: x, status: y, files: [src/critic.py], subject: desk}\nsubjects:")
    bench.put("src/critic.py", "")
    bench.remember()
    bench.config("  P2: {title: x, status: y, files: [src/critic.py], subject: desk}\n", "")


def _remove_file_of_path(bench: Any) -> None:
    bench.remember()
    bench.config("[src/agent.py, ", "[")


def _narrow_path(bench: Any) -> None:
    bench.remember()
    bench.config('"src/prompts/**/*.md"', '"src/prompts/*/other.md"')
    bench.put("src/prompts/deep/other.md", "")


def _drop_row(bench: Any) -> None:
    bench.config("    subject: desk", "    subject: desk\n    inventory: A1")
    bench.remember()
    bench.config("    inventory: A1\n", "")


def _change_row(bench: Any) -> None:
    bench.config("    subject: desk", "    subject: desk\n    inventory: A1")
    bench.remember()
    bench.config("inventory: A1", "inventory: A6")


def _outcome(bench: Any, condition: str, metric: str) -> None:
    bench.swap(TASK, "- allowed_first_tools: [search_local]", f"- {condition}")
    bench.swap(TASK, "[tool_trace]", f"[{metric}]")


def _grading(bench: Any, line: str) -> None:
    text = (bench.root / TASK).read_text()
    bench.put(TASK, f"{text}  {line}\n")


DEFECTS = [
    (_break_input, "readable", "unreadable", "unknown_value", TASK, 4, "did you mean 'single_turn'?"),
    (_break_contract, "contract", "unreadable", "unknown_metric", TASK, 10, ""),
    (_bare_metric, "metrics", "unreadable", "metric_refused", ORACLE, 3, "docs/metrics.md"),
    (_colliding_metric, "metrics", "unreadable", "metric_collision", None, None, "rename one"),
    (_broken_metric, "metrics", "unreadable", "metric_unloadable", ORACLE, 2, "mend it"),
    (_no_metric, "metrics", "unreadable", "no_metric", ORACLE, None, "derive one"),
    (_break_dialect, "dialects", "unreadable", "unknown_dialect", CONFIG, 12, "did you mean 'text'?"),
    (_break_scope_file, "scope_files", "finding", "scope_files", CONFIG, 6, "correct it"),
    (_break_scope_glob, "scope_files", "finding", "scope_files", CONFIG, 6, "correct it"),
    (_break_scope_folder, "scope_files", "finding", "scope_files", CONFIG, 6, "write src/prompts/**"),
    (_break_scope_evals, "scope_evals", "finding", "scope_evals", CONFIG, 8, "evals/<suite>/<id>@P2.yaml"),
    (_declare_row, "inventory", "finding", "missing_eval", CONFIG, 8, "evals/<suite>/AGT-15@P1.yaml"),
    (
        _declare_row,
        "methods",
        "finding",
        "missing_method",
        CONFIG,
        8,
        "give one of its tasks `mode: stream_fixture` with",
    ),
    (_soften_mandatory, "mandatory", "finding", "mandatory_not_blocking", TASK, 9, "remove `blocking: false`"),
    (_match_loosely, "matching", "finding", "loose_match", TASK, 9, "remove `match: conversation`"),
    (_forget_row, "inventory_declared", "note", "inventory_undeclared", CONFIG, 8, "add `inventory: A3`"),
    (_break_profile_name, "profile_names", "note", "misspelt_profile", CONFIG, 8, "rename it to 'nightly'"),
    (_break_profile, "profile_whole", "finding", "partial_pr", CONFIG, 8, "remove `partial: true`"),
    (_break_cassette, "recordings_trusted", "unreadable", "hash_mismatch", CASSETTE, None, ""),
    (_remove_cassette, "recordings_trusted", "unreadable", "missing", CASSETTE, None, ""),
    (_break_pins, "recordings_trusted", "unreadable", "pins_corrupt", PINS, 1, ""),
    (_unpin, "recordings_pinned", "finding", "unpinned", CASSETTE, None, ""),
    (_stray, "recordings_pinned", "finding", "stray_file", f"{FOLDER}/old.yaml", None, "remove it"),
    (_orphan, "recordings_orphans", "finding", "orphan_cassette", "cassettes/retrieval/RET-09@P1", None, "restore"),
    (
        _moved_suite,
        "recordings_orphans",
        "finding",
        "orphan_cassette",
        "cassettes/elsewhere/RET-01@P1",
        None,
        "restore",
    ),
    (_planted_key, "evals_secrets", "finding", "secret_found", TASK, 5, "REDACTED_NAME"),
    (_key_in_frames, "evals_secrets", "finding", "secret_found", "evals/fixtures/stream.txt", None, "REDACTED_NAME"),
    (_packed_fixture, "evals_secrets", "finding", "size_limit", "evals/fixtures/big.gz", None, ""),
    (_large_fixture, "evals_secrets", "finding", "size_limit", "evals/fixtures/big.bin", None, "split it"),
    (_secret, "recordings_secrets", "unreadable", "secret_found", CASSETTE, None, "revoke the key"),
    (_stray_draft, "recordings_pinned", "finding", "unfinished_write", FOLDER, None, "completes what counts"),
    (_forge_pin, "recordings_pinned", "finding", "pins_disagree", PINS, None, "derive them again"),
    (_mislabel, "recordings_secrets", "unreadable", "decode_error", CASSETTE, None, "accept-encoding"),
    (_bomb, "recordings_secrets", "unreadable", "size_limit", CASSETTE, None, ""),
    (_prompt_outside, "scope_prompts", "finding", "unscoped_prompt", "src/critic_prompt.md", None, "`unscoped`"),
    (_idle_exception, "scope_exceptions", "note", "idle_unscoped", CONFIG, 9, "remove it"),
    (_weekly_gate, "mandatory", "finding", "weekly_blocking", "evals/retrieval/RET-07@P1.yaml", 1, "`blocking: false`"),
    (_soften_mandatory, "hard_gates", "finding", "no_invariants", TASK, 7, "add `required_invariants`"),
    (_one_wording, "exact_strings", "finding", "exact_string", TASK, 8, "a second wording"),
    (_scored_invariant, "quality_apart", "finding", "quality_invariant", TASK, 11, "which gates"),
    (_scored_and_demanded, "quality_apart", "finding", "quality_decides", TASK, 11, "not both"),
    (
        _judge_without_terms,
        "readable",
        "unreadable",
        "judge_not_justified",
        TASK,
        13,
        "reason, justification, fallback",
    ),
    (_judge_without_fallback, "readable", "unreadable", "unknown_fallback", TASK, 14, "schema_contract"),
    (_judge_that_blocks, "judge_gates", "finding", "judge_blocking", TASK, 12, "`blocking: false`"),
    (_judge_of_tools, "judge_questions", "finding", "judge_question", TASK, 13, "open-ended"),
    (_judge_of_safety, "judge_questions", "finding", "judge_question", "evals/retrieval/RET-05@P1.yaml", 13, ""),
    (_judge_of_many, "judge_share", "finding", "sample_cap", AUDIT, None, ""),
    (_judge_of_others, "judge_share", "finding", "bad_draw", AUDIT, None, "restore"),
    (_broken_audit, "judge_share", "finding", "bad_audit", AUDIT, None, "restore"),
    (
        _many_candidates,
        "judge_candidates",
        "note",
        "judge_candidates",
        "evals/retrieval/RET-11@P1.yaml",
        13,
        "audit` to 1",
    ),
    (_floating_subject, "models", "finding", "floating_model", CONFIG, 13, "name one version"),
    (_floating_recording, "models", "finding", "floating_model", PINS, 11, "record again"),
    (_misspell_tool, "tool_names", "note", "misspelt_tool", TASK, 9, "write 'web_search'"),
    (_hide_prompt, "normalisers", "finding", "normaliser_hides", CONFIG, 12, "name the field that is volatile"),
    (_hot, "generation", "finding", "undeclared_override", CASSETTE, None, "`generation: {temperature: 0.7}`"),
    (_lukewarm, "generation_left", "note", "default_not_asked", CASSETTE, None, "ask for temperature 0"),
    (_lonely_band, "borderline", "finding", "borderline_trials", TASK, 9, "tapegate record RET-01@P1 --trials 2"),
    (_long_quarantine, "quarantine", "finding", "quarantine_expired", TASK, 9, "mend it"),
    (_endless_quarantine, "quarantine", "finding", "quarantine_long", TASK, 9, "write a day up to "),
    (_quarantine_mandatory, "mandatory", "finding", "mandatory_quarantined", TASK, 9, "remove `quarantine`"),
    (_change_prompt, "change_covered", "finding", "eval_unchanged", "src/prompts/deep/main.md", None, "P1: reason"),
    (_change_contract, "change_noted", "finding", "contract_unnoted", TASK, 7, "`migrations:"),
    (_rewrite_history, "change_noted", "finding", "history_rewritten", TASK, 9, "restore it"),
    (_drop_outcome, "change_compatible", "finding", "outcome_dropped", TASK, 8, "deprecates: [outcome 1]"),
    (
        _remove_eval,
        "change_removed",
        "finding",
        "eval_removed",
        "evals/retrieval/RET-02@P1.yaml",
        None,
        "RET-02@P1 reason",
    ),
    (_remove_path, "change_removed", "finding", "path_removed", CONFIG, 3, "`unscoped`"),
    (_remove_file_of_path, "change_removed", "finding", "path_removed", CONFIG, 6, "`unscoped`"),
    (_narrow_path, "change_removed", "finding", "path_removed", CONFIG, 6, "`unscoped`"),
    (_drop_row, "change_removed", "finding", "inventory_dropped", CONFIG, 4, "Tapegate-Eval-Removed: P1 reason"),
    (_change_row, "change_removed", "finding", "inventory_dropped", CONFIG, 4, "restore `inventory: A1`"),
    (_race, "recordings_lanes", "note", "ambiguous_requests", f"{FOLDER}/trial-1.yaml", None, "session_header under"),
    (_unrecorded, "recordings_made", "note", "not_recorded", TASK, 9, "tapegate record RET-01@P1 --missing"),
]


@pytest.mark.parametrize(
    ("shape", "near"),
    [
        ("allowed_first_tools: [search_local]\n      tool_counts: {search_locl: {max: 0}}", True),
        ("allowed_first_tools: [search_local]\n      allowed_tools: [search_loca]", True),
        ("allowed_first_tools: [a, b]\n      tool_arguments: {fetch_pgae: [{arguments: {x: 1}, calls: all}]}", False),
        ("required_tools: [read_paper, read_papers]", False),
        ("allowed_first_tools: [search_web]\n      forbidden_tools: [web_search]", False),
        ("forbidden_tools: [web_search, web_serach]", False),
    ],
)
def test_a_tool_is_misspelt_where_another_is_meant(shape: str, near: bool, bench: Any) -> None:
    """Beside one that tasks demand, and never where a run would show it; of two equals nobody knows which is meant."""
    bench.swap(TASK, "allowed_first_tools: [search_local]", shape)
    assert ("misspelt_tool" in {code for _, code, _, _ in bench.told()}) is near


@pytest.mark.parametrize(
    ("declared", "body", "found"),
    [
        ("temperature: 0.7", b'{"messages": [], "temperature": 0.7}', []),
        ("temperature: 0.7", b'{"messages": [], "temperature": 0}', ["undeclared_override"]),
        ("max_tokens: 300", b'{"messages": [], "temperature": 0, "max_tokens": 300, "seed": 43}', []),
        ("max_tokens: 300", b'{"messages": [], "temperature": 0, "seed": 44}', ["undeclared_override"]),
        ("seed: 7", b'{"messages": [], "temperature": 0.0, "seed": 7}', []),
        ("seed: 7", b'{"messages": [], "temperature": [0]}', ["undeclared_override"]),
        ("seed: 7", b'{"model": "embedding", "input": "x"}', []),
    ],
)
def test_an_override_is_what_the_path_declares(declared: str, body: bytes, found: list[str], bench: Any) -> None:
    """What a path declares takes the default's place; a trial's own seed and an embedding are no override."""
    bench.config("    subject: desk", f"    subject: desk\n    generation: {{{declared}}}")
    bench.swap(TASK, "grading:", "trials: 2\ngrading:")
    bench.record("RET-01@P1", body, trial=2)
    assert [each.id for each in bench.lint().findings] == found


@pytest.mark.parametrize(
    ("defect", "check", "severity", "code", "file", "line", "fix"),
    DEFECTS,
    ids=[f"{row[0].__name__.strip('_')}-{row[3]}" for row in DEFECTS],
)
def test_a_defect_turns_its_check_red(
    defect: Callable[[Any], None],
    check: str,
    severity: str,
    code: str,
    file: str,
    line: int | None,
    fix: str,
    bench: Any,
) -> None:
    """Each check finds what it is for, at its place, with its fix; the exit code follows from the worst."""
    defect(bench)
    report = bench.lint()
    found = [finding for finding in report.findings if finding.id == code]
    assert {(each.check, each.severity, each.file, each.line) for each in found} == {(check, severity, file, line)}
    assert len(found) == 1 or code == "metric_refused"
    assert fix in found[0].fix
    worst = {"unreadable": 2, "finding": 1, "note": 0}
    assert report.exit_code == max(worst[each.severity] for each in report.findings) >= worst[severity]


def test_single_answers_are_held_to_the_rules_of_strings_too(bench: Any) -> None:
    """What one answer of a conversation is asked stands under the same checks as what all of it is asked."""
    bench.swap(TASK, "mode: single_turn", "mode: multi_turn\nthen: [And then?]")
    fact = "{name: x, any_of: [the gate is shut at night]}"
    bench.swap(
        TASK, "- allowed_first", f"- turns: [{{turn: 2, required_slots: {{facts: [{fact}]}}}}]\n      allowed_first"
    )
    bench.swap(TASK, "[tool_trace]", "[tool_trace, schema_contract]")
    (found,) = [each for each in bench.lint().findings if each.id == "exact_string"]
    assert "expect.accepted_outcomes.0.turns.0.required_slots.facts.0.any_of.0" in found.message


@pytest.mark.parametrize(("trials", "recorded", "found"), [(1, 1, 1), (1, 2, 0), (2, 2, 1), (2, 3, 0)])
def test_a_band_wants_one_recording_more_than_the_task_replays(
    trials: int, recorded: int, found: int, bench: Any
) -> None:
    """The one that decides is none of those that were borderline already."""
    _lonely_band(bench)
    bench.swap(TASK, "grading:", f"trials: {trials}\ngrading:")
    for number in range(2, recorded + 1):
        bench.record("RET-01@P1", trial=number)
    assert sum(each.id == "borderline_trials" for each in bench.lint().findings) == found


def _asked(metrics: list[str], terms: JudgeTerms, eval_id: str) -> list[str]:
    """What is wrong with the question of a task that declares these metrics."""
    grading = {"deterministic_metrics": metrics, "runtime_llm_judge": "audit", "judge": terms.model_dump()}
    base = {"id": eval_id, "suite": "s", "path_id": "P1", "mode": "single_turn", "input": "Hi."}
    task = {**base, "expect": {"accepted_outcomes": [{"required_tools": ["x"]}]}, "grading": grading}
    survey = SimpleNamespace(tasks=[Task.model_validate_json(json.dumps(task))])
    (check,) = [each for each in CHECKS if each.id == "judge_questions"]
    return [each.code for each in check.find(SimpleNamespace(survey=survey))]  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", sorted({oracle.name for oracle in CATALOG} - OPEN))
def test_what_a_settled_metric_answers_is_no_question(metric: str) -> None:
    """Alone, beside a limit on cost, or as the fallback: tools, state, hygiene and cost are not for a judge."""
    terms = JudgeTerms(reason="open_ended_synthesis", justification="prose", fallback=metric)
    for metrics in ([metric], [metric, "latency_cost"], [metric, "schema_contract"]):
        assert _asked(metrics, terms, "RET-10") == ["judge_question"]


@pytest.mark.parametrize("metric", sorted(OPEN | {"words_of_ones_own"}))
def test_an_open_kind_may_stand_beside_a_judge(metric: str) -> None:
    """Slots, citations and a project's own metric leave a question open; not for an eval of safety or protocol."""
    terms = JudgeTerms(reason="open_ended_synthesis", justification="prose", fallback=metric)
    assert _asked([metric, "tool_trace"], terms, "RET-10") == []
    assert [_asked([metric], terms, eval_id) for eval_id in HARD_EVALS] == [["judge_question"]] * 4


def test_every_check_has_a_defect_that_it_finds() -> None:
    """No check is in the registry without a row above, and none claims an id that no defect shows."""
    shown = {(row[1], row[3]) for row in DEFECTS}
    assert {check for check, _ in shown} == {check.id for check in CHECKS}
    assert {(check.id, code) for check in CHECKS if not check.more for code in check.codes} <= shown


def test_every_id_is_declared_by_its_check() -> None:
    """What a check may report stands in its entry, and so on its page in the docs."""
    closed = {check.id: check for check in CHECKS if not check.more}
    assert [(row[1], row[3]) for row in DEFECTS if row[1] in closed and row[3] not in closed[row[1]].codes] == []


def test_a_secret_is_found_also_where_nothing_vouches_for_the_file(bench: Any) -> None:
    """An unpinned recording is searched as bytes; the value is never shown."""
    _secret(bench)
    _unpin(bench)
    report = bench.lint()
    assert {finding.id for finding in report.findings} >= {"unpinned", "secret_found"}
    assert "QYLPMN5HHHFPZAM2" not in str(report)


@pytest.mark.parametrize("name", MAIN_PROMPT)
def test_each_mandatory_eval_is_missed(name: str, bench: Any, row: Callable[[str], None]) -> None:
    """A path that declares row A1 has all six evals; the one that is missing is named, and no other."""
    row("A1")
    for eval_id in MAIN_PROMPT:
        bench.task(f"{eval_id}@P1")
    assert not [found for found in bench.lint().findings if found.id == "missing_eval"]
    (bench.root / f"evals/retrieval/{name}@P1.yaml").unlink()
    (found,) = [found for found in bench.lint().findings if found.id == "missing_eval"]
    assert name in found.message
    assert (found.file, found.line, found.severity) == (CONFIG, 8, "finding")
    assert f"evals/<suite>/{name}@P1.yaml" in found.fix


@pytest.mark.parametrize(
    ("row", "eval_id"), [(name, eval_id) for name, row in INVENTORY.items() for eval_id in row.evals]
)
def test_a_path_lacks_each_of_its_mandatory_evals(row: str, eval_id: str, bench: Any) -> None:
    """For every row of the inventory: an empty path lacks all of its evals, and each is named once."""
    bench.config("    subject: desk", f"    subject: desk\n    inventory: {row}")
    (bench.root / TASK).rename(bench.root / "evals/retrieval/XXX-01@P1.yaml")
    bench.swap("evals/retrieval/XXX-01@P1.yaml", "id: RET-01", "id: XXX-01")
    missed = [found.message for found in bench.lint().findings if found.id == "missing_eval"]
    assert len([message for message in missed if f" {eval_id} " in message]) == 1
    assert len(missed) == len(INVENTORY[row].evals)  # type: ignore[index]


def test_an_eval_on_another_path_does_not_count(bench: Any, row: Callable[[str], None]) -> None:
    """The inventory is per path: the same id elsewhere fulfils nothing."""
    bench.config("subjects:", "  P2: {title: x, status: y, files: [src/agent.py], subject: desk}\nsubjects:")
    row("A1")
    bench.task("RET-02@P2")
    assert "RET-02" in " ".join(found.message for found in bench.lint().findings if found.id == "missing_eval")


def test_each_required_method_is_missed(bench: Any, row: Callable[[str], None]) -> None:
    """Row A1 wants tool trace, citations and hygiene; what no eval declares is named with its methods."""
    row("A1")
    found = [found.message for found in bench.lint().findings if found.id == "missing_method"]
    assert len(found) == 3
    assert "tool-trace parsing of the agent's stream (`d:` frames) (tool_trace)" in found[0]
    assert "citation URL validation (citation_contract)" in found[1]
    assert "output hygiene regex checks (output_hygiene)" in found[2]


@pytest.mark.parametrize("line", ["blocking: false", "quarantine: {reason: x, owner: y, until: '2026-01-31'}"])
def test_a_method_is_used_where_its_failure_blocks(line: str, bench: Any, row: Callable[[str], None]) -> None:
    """What fails no gate is no use of a required method."""
    row("A1")
    bench.swap(TASK, "- allowed", "- required_slots: {citations_local_min: 1}\n      allowed")
    bench.swap(TASK, "[tool_trace]", "[tool_trace, citation_contract]")

    def missed() -> bool:
        return any("citation URL" in found.message for found in bench.lint().findings if found.id == "missing_method")

    assert not missed()
    bench.swap(TASK, "grading:", f"{line}\ngrading:")
    assert missed()


def test_a_mandatory_eval_blocks(bench: Any, row: Callable[[str], None]) -> None:
    """`blocking: false` on a mandatory eval is a finding; on any other it is the author's business."""
    bench.swap(TASK, "grading:", "blocking: false\ngrading:")
    assert bench.told() == []
    row("A1")
    assert ("finding", "mandatory_not_blocking", TASK, 9) in bench.told()


def test_an_undeclared_row_is_noted(bench: Any) -> None:
    """A path that is called like a row of the standard's and declares none gets a note, which fails nothing."""
    bench.config("P1", "A1")
    (bench.root / TASK).unlink()
    bench.task("RET-01@A1")
    assert ("note", "inventory_undeclared", CONFIG, 4) in bench.told()
    bench.config("subject: desk", "subject: desk\n    inventory: A1")
    assert "inventory_undeclared" not in {code for _, code, _, _ in bench.told()}


@pytest.mark.parametrize(
    ("name", "near"),
    [("PR", True), ("Weekly", True), ("weekley", True), ("prod", False), ("monthly", False), ("pr", False)],
)
def test_a_profile_of_ones_own_is_no_misspelling(name: str, near: bool, bench: Any) -> None:
    """Only names that are nearly a standard profile's are noted; projects may have profiles of their own."""
    bench.config("subjects:", f"profiles: {{{name}: {{}}}}\nsubjects:")
    assert ("misspelt_profile" in {code for _, code, _, _ in bench.told()}) is near


@pytest.mark.parametrize(
    "pattern", ["src/agent.py", "src/*.py", "**/agent.py", "src/prompts/**", "app/[id]/page.tsx", ".hidden/*"]
)
def test_scope_patterns_that_match(pattern: str, bench: Any) -> None:
    """Paths, globs, brackets that are a folder's name, and hidden folders."""
    bench.put("app/[id]/page.tsx", "")
    bench.put(".hidden/x", "")
    bench.config("[src/agent.py", f"['{pattern}'")
    assert bench.told() == []


@pytest.mark.parametrize("pattern", ["src/*.ts", "app/[xy]/page.tsx", "a**b", "["])
def test_scope_patterns_that_match_nothing(pattern: str, bench: Any) -> None:
    """A pattern that no file matches is found, whatever it is made of."""
    bench.put("app/[id]/page.tsx", "")
    bench.config("[src/agent.py", f"['{pattern}'")
    assert bench.told() == [("finding", "scope_files", CONFIG, 6)]


def test_what_cannot_be_read_hides_no_other_problem(bench: Any) -> None:
    """Beside a broken task, the others' contracts and the recordings are checked; the rest is said to be skipped."""
    bench.put("evals/retrieval/RET-02@P1.yaml", "id: [")
    bench.task("RET-03@P1")
    bench.swap("evals/retrieval/RET-03@P1.yaml", "[tool_trace]", "[tool_trase]")
    _break_cassette(bench)
    _stray(bench)
    report = bench.lint()
    assert {found.id for found in report.findings} >= {"yaml_syntax", "unknown_metric", "hash_mismatch", "stray_file"}
    assert "scope_files" in report.skipped
    assert report.exit_code == 2


def test_a_half_read_project_finds_no_orphans(bench: Any) -> None:
    """The recordings of a task that cannot be read are not called orphans: the task may be sound but for a comma."""
    _break_input(bench)
    assert {code for _, code, _, _ in bench.told()} == {"unknown_value"}


def test_an_empty_folder_is_not_clean(tmp_path: Path) -> None:
    """No evals, no pass."""
    report = lint(tmp_path)
    assert report.exit_code == 2
    assert report.tasks == 0


def test_findings_are_sorted_by_place(bench: Any) -> None:
    """File, then line, whatever check found them."""
    _break_scope_evals(bench)
    _unrecorded(bench)
    _orphan(bench)
    places = [(file or "", line or 0) for _, _, file, line in bench.told()]
    assert places == sorted(places)
    assert len(places) == 3


def test_a_folder_that_is_no_key_is_told_once(bench: Any) -> None:
    """A recording room with a name that cannot be trusted is unreadable, and stops no other check."""
    bench.put("cassettes/retrieval/not a key/trial-1.yaml", "x")
    assert [(severity, code) for severity, code, _, _ in bench.told()] == [("unreadable", "path_escape")]


@pytest.mark.parametrize(("today", "expired"), [("2026-01-30", 0), ("2026-01-31", 0), ("2026-02-01", 1)])
def test_a_quarantine_ends_with_its_day(today: str, expired: int, bench: Any) -> None:
    """Its last day is still accepted; the date is a word of whoever lints, so that a test is the same every day."""
    _long_quarantine(bench)
    found = [found.id for found in lint(bench.root, today=date.fromisoformat(today)).findings]
    assert found == ["quarantine_expired"] * expired


@pytest.mark.parametrize(("until", "found"), [("2026-03-31", []), ("2026-04-01", ["quarantine_long"])])
def test_a_quarantine_is_for_ninety_days(until: str, found: list[str], bench: Any) -> None:
    """The ninetieth day from today is accepted as its last, the next is not."""
    _long_quarantine(bench, until)
    assert [each.id for each in lint(bench.root, today=date(2025, 12, 31)).findings] == found


def test_a_check_that_breaks_is_not_silent(bench: Any) -> None:
    """An error in a check comes out: a check that could not be made has not passed."""

    def broken(ground: Any) -> list[Problem]:
        raise CassetteError(Problem("x", "y"))

    from tapegate.standard.check import Check

    with pytest.raises(CassetteError):
        lint(bench.root, checks=[Check("x", "y.", "note", broken)])


def test_lint_writes_nothing(bench: Any) -> None:
    """The project's files are the same before and after."""

    def files() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in bench.root.rglob("*") if path.is_file()}

    before = files()
    json.dumps([str(found) for found in bench.lint().findings])
    assert files() == before


def test_a_case_has_recordings_of_its_own_where_it_is_asked_otherwise(bench: Any) -> None:
    """Those that share the task's recordings want no others; a recording of no case is an orphan."""
    cases = "cases: [{name: a}, {name: b, setup: {replies: [{content: x}]}}, {name: c, input: Other.}]"
    bench.swap(TASK, "grading:", f"{cases}\ngrading:")
    assert [(code, where) for _, code, where, _ in bench.told()] == [("not_recorded", TASK)]
    bench.record("RET-01@P1[3]")
    assert bench.told() == []
    bench.record("RET-01@P1[4]")
    assert [(code, where) for _, code, where, _ in bench.told()] == [
        ("orphan_cassette", "cassettes/retrieval/RET-01@P1[4]")
    ]
