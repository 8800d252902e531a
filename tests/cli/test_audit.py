"""`tapegate audit`, end to end."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tapegate.cli.auditing import Auditing, run_audit
from tapegate.cli.recording import Recording, record_tasks
from tapegate.errors import BadInput, Stale, TapegateError
from tapegate.grade.judge.template import template_sha256

STAND_IN = Path(__file__).with_name("judge_stand_in.py")

AGENT = """\
def answer(input: str) -> str:
    return f"{input} By 3.6 degrees in 28 shelters."
"""
CONFIG = f"""\
version: 1
paths:
  A1: {{title: chat, status: active, files: [agent.py], subject: desk}}
subjects:
  desk: {{kind: python, entry: "agent:answer", pythonpath: ["."], stream: text}}
services:
  judge: {{address: "https://judge.invalid/v1", protocol: openai, base_url_env: [JUDGE_URL]}}
sources:
  local:
    kind: local
    description: the test's own judge
    stand_ins:
      judge: {{command: ["{{python}}", "{{project}}/judge.py", "{{port}}"], path: /v1}}
judge:
  service: judge
  source: local
  model: test-judge-1
  model_version: "1"
  template_sha256: {template_sha256()}
"""
TASK = """\
id: {id}
suite: s
path_id: A1
mode: single_turn
input: Is it cooler?
blocking: false
expect:
  accepted_outcomes:
    - required_slots: {{facts: [{{name: cooling, any_of: [3.6 degrees]}}]}}
grading:
  deterministic_metrics: [schema_contract]
"""
JUDGED = """\
  runtime_llm_judge: audit
  judge: {reason: rubric_calibration, justification: It is a test., fallback: schema_contract}
  quality: {facts: [{name: count, any_of: [28 shelters]}]}
"""

Audited = Callable[..., Any]


def _write(root: Path, tasks: int) -> None:
    """A project of so many tasks, of which the first four allow a judge, with an agent that answers at once."""
    files = {"agent.py": AGENT, "evals/tapegate.yaml": CONFIG, "judge.py": STAND_IN.read_text()}
    for number in range(tasks):
        name = "RET-07" if number == 7 else f"T-{number:02}"
        files[f"evals/s/{name}@A1.yaml"] = TASK.format(id=name) + (JUDGED if number < 4 else "")
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of eight tasks, recorded."""
    root = tmp_path_factory.mktemp("recorded")
    _write(root, 8)
    words = Recording(
        select=(), project=root, evals=Path("evals"), which="all", source="local", trials=None, cap_usd=None, quiet=True
    )
    assert record_tasks(words, {}) == 0
    return root


@pytest.fixture
def desk(recorded: Path, tmp_path: Path) -> Path:
    """A copy of that project."""
    return Path(shutil.copytree(recorded, tmp_path / "desk"))


@pytest.fixture
def audit() -> Audited:
    """Runs an audit; returns audit.json, read."""

    def run(project: Path, out: str = "out", environ: dict[str, str] | None = None, **words: Any) -> Any:
        said = {"week": None, "record": False, "fresh": False, "as_json": False, "quiet": True, **words}
        auditing = Auditing(project=project, evals=Path("evals"), out=project / out, **said)
        assert run_audit(auditing, environ or {}) == 0
        return json.loads((project / out / "audit.json").read_bytes())

    return run


def test_the_shipped_audit_replays(project: Any) -> None:
    """Without a key, a network or a model: the draw, the judge's real replies and the graders beside them."""
    done = project.tapegate("audit")
    assert done.code == 0, done.out + done.err
    assert done.out.startswith("## Weekly audit ")
    out = project.root / "out"
    found = json.loads((out / "audit.json").read_bytes())
    assert found["judged"]
    assert len(found["draw"]["sample"]) * 100 <= 15 * found["draw"]["n"]
    assert not [one for one in found["judged"] if one["judge"]["evaluator_error"] == "not_recorded"]
    # A very small model: what it writes is often no JSON to its end, and then nothing is made of it.
    failed = [one["judge"] for one in found["judged"] if one["judge"]["evaluator_error"] == "parse_error"]
    assert {(one["attempts"], one["accuracy_score"], one["faithfulness_score"]) for one in failed} == {(2, None, None)}
    provenance = json.loads((out / "audit-provenance.json").read_bytes())
    assert provenance["evaluator_model_id"] == found["judge"]["model"]
    assert provenance["evaluator_prompt_template_version_or_hash"].endswith(found["judge"]["template_sha256"])


def test_an_audit_is_recorded_and_replays_to_the_byte(desk: Path, audit: Audited) -> None:
    """What the judge said is kept with the draw; a retry, a disagreement and an injected table change no exit code."""
    recorded = audit(desk, "one", week="2026-W47", record=True)
    assert recorded["draw"]["sample"] == ["T-03@A1"]
    one = recorded["judged"][0]
    assert (one["verdict"], one["differs"]) == ("pass", True)
    assert (one["deterministic"]["accuracy_score"], one["judge"]["accuracy_score"]) == (2, 1)
    assert (one["judge"]["attempts"], one["judge"]["faults"]) == (2, ["prose: there is text beside the object"])
    assert recorded["rubric"]["judge"]["n_scored"] == 1
    # Of the weekly audit alone: looked at every week, and not judged.
    assert recorded["weekly"] == [{"key": "RET-07@A1", "trial": 1, "verdict": "pass", "findings": []}]
    (desk / "judge.py").unlink()
    audit(desk, "two")
    for name in ("audit.json", "audit.md", "audit.html"):
        assert (desk / "one" / name).read_bytes() == (desk / "two" / name).read_bytes()


def test_a_recorded_draw_of_more_tasks_than_there_are_is_refused(desk: Path, audit: Audited) -> None:
    """Its own count of tasks makes the cap: a count that was raised would put more before the judge."""
    audit(desk, week="2026-W47", record=True)
    path = desk / "cassettes/audit-2026-W47/audit.json"
    record = json.loads(path.read_bytes())
    eligible = record["draw"]["eligible"]
    ranked = sorted(eligible, key=lambda key: sha256(f"2026-W47\n{key}".encode()).hexdigest())
    record["draw"] |= {"n": 14, "cap": 2, "sample": ranked[:2]}
    path.write_text(json.dumps(record))
    with pytest.raises(BadInput) as caught:
        audit(desk)
    assert caught.value.problems[0].code == "sample_cap"


def test_a_changed_answer_is_not_judged_by_an_old_word(desk: Path, audit: Audited) -> None:
    """A judge's recording answers for the very answer that it was given; for another, nobody said anything."""
    audit(desk, week="2026-W47", record=True)
    (desk / "agent.py").write_text(AGENT.replace("28", "29"))
    (one,) = audit(desk)["judged"]
    assert (one["judge"]["evaluator_error"], one["judge"]["accuracy_score"]) == ("not_recorded", None)


def test_weeks_add_up_and_a_fresh_recording_is_compared(desk: Path, audit: Audited) -> None:
    """Agreement counts the pairs of earlier weeks under the same pins; what is recorded to compare is not kept."""
    first = audit(desk, week="2026-W46", record=True)
    assert [one["n"] for one in first["agreement"]] == [1, 0]  # nothing shows what this agent read: no faithfulness
    (desk / "agent.py").write_text(AGENT.replace("28 shelters", "28 bus shelters"))
    before = set((desk / "cassettes").rglob("*"))
    second = audit(desk, week="2026-W47", record=True, fresh=True)
    assert second["weeks"] == ["2026-W46", "2026-W47"]
    assert [one["n"] for one in second["agreement"]] == [2, 0]
    assert {tuple(one["changes"]) for one in second["drift"]["fresh"]} == {()}
    added = set((desk / "cassettes").rglob("*")) - before
    assert {path.relative_to(desk / "cassettes").parts[0] for path in added} == {"audit-2026-W47"}


def test_an_answer_counts_once_and_under_its_own_parameters(desk: Path, audit: Audited) -> None:
    """The same answer drawn again is no second pair; what was asked with other parameters is no pair of this judge."""
    for name in ("T-00", "T-01", "T-02"):
        (desk / f"evals/s/{name}@A1.yaml").write_text(TASK.format(id=name))  # one task that allows a judge is left
    audit(desk, week="2026-W46", record=True)
    again = audit(desk, week="2026-W47", record=True)
    assert (again["weeks"], again["agreement"][0]["n"]) == (["2026-W46", "2026-W47"], 1)
    config = desk / "evals/tapegate.yaml"
    config.write_text(config.read_text() + "  generation: {max_tokens: 512}\n")
    assert audit(desk, week="2026-W48", record=True)["weeks"] == ["2026-W48"]


def test_a_new_draw_replaces_the_week(desk: Path, audit: Audited) -> None:
    """Recording a week again leaves nothing of its first recording behind."""
    audit(desk, week="2026-W47", record=True)
    (desk / "evals/s/T-03@A1.yaml").unlink()
    again = audit(desk, week="2026-W47", record=True)
    folder = desk / "cassettes" / "audit-2026-W47"
    assert sorted(path.name for path in folder.iterdir()) == sorted([*again["draw"]["sample"], "audit.json"])


def test_too_few_tasks_are_said(tmp_path: Path, audit: Audited) -> None:
    """Below seven tasks nothing is judged, and the report says so; it is no failure."""
    _write(tmp_path, 6)
    found = audit(tmp_path, week="2026-W47", record=True)
    assert (found["draw"]["cap"], found["judged"]) == (0, [])
    assert found["notes"] == ["nothing is judged: 15 % of 6 tasks is less than one (it takes 7)"]


def test_an_unrecorded_task_is_told(tmp_path: Path, audit: Audited) -> None:
    """A sampled task that cannot be replayed is named, and the audit is made all the same."""
    _write(tmp_path, 7)
    found = audit(tmp_path, week="2026-W47", record=True)
    (note,) = found["notes"]
    assert note == "T-03@A1[1] is not judged: trial 1 of 'T-03@A1' is not recorded yet"


def test_metrics_of_the_project_grade_its_answers(desk: Path, audit: Audited) -> None:
    """Beside the judge stands every metric that the gate has; what it reads of a trial is read here too."""
    spec = importlib.util.spec_from_file_location("plugins", Path(__file__).parents[1] / "oracles" / "test_plugins.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (desk / "evals" / "oracles").mkdir()
    (desk / "evals" / "oracles" / "word_count.py").write_text(module.PLUGIN)
    for task in (desk / "evals" / "s").glob("T-0[0-3]*"):
        text = task.read_text().replace("required_slots: {", "required_slots: {words_max: 99, ")
        task.write_text(text.replace("[schema_contract]", "[schema_contract, word_count]"))
    found = audit(desk, week="2026-W47", record=True)
    assert len(found["judged"]) == 1
    assert found["notes"] == []


@pytest.mark.parametrize(
    ("words", "environ", "error", "code"),
    [
        ({"week": "2026-W01"}, {}, Stale, "not_recorded"),
        ({"week": "last"}, {}, BadInput, "bad_week"),
        ({"record": True}, {"GITHUB_EVENT_NAME": "pull_request"}, BadInput, "recording_in_pr"),
        ({"fresh": True}, {"GITHUB_EVENT_NAME": "pull_request_target"}, BadInput, "recording_in_pr"),
    ],
)
def test_an_audit_that_cannot_be_made_says_so(
    words: dict[str, Any],
    environ: dict[str, str],
    error: type[TapegateError],
    code: str,
    tmp_path: Path,
    audit: Audited,
) -> None:
    """Its exit code is about the audit, never about the judge."""
    _write(tmp_path, 7)
    with pytest.raises(error) as caught:
        audit(tmp_path, environ=environ, **words)
    assert caught.value.problems[0].code == code


def test_another_prompt_is_refused(tmp_path: Path, audit: Audited) -> None:
    """Scores under another evaluator prompt do not compare, so the pin is held."""
    _write(tmp_path, 7)
    (tmp_path / "evals/tapegate.yaml").write_text(CONFIG.replace(template_sha256(), "a" * 64))
    with pytest.raises(BadInput) as caught:
        audit(tmp_path, week="2026-W47", record=True)
    assert caught.value.problems[0].code == "template_mismatch"


def test_without_a_judge_the_drift_is_told(desk: Path, audit: Audited) -> None:
    """A project that pins no judge has an audit of its recordings alone."""
    (desk / "evals/tapegate.yaml").write_text(CONFIG[: CONFIG.index("judge:\n  service")])
    found = audit(desk)
    assert (found["judge"], found["judged"]) == (None, [])
    assert len(found["drift"]["recordings"]) == 8
    assert found["drift"]["notes"] == []
