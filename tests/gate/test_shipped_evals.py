"""What the shipped evals and recordings promise."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import vcr

from tapegate.grade.trial import grade_trial
from tapegate.load.suite import Suite, load_suite
from tapegate.model.config import PythonSubject
from tapegate.model.finding import Verdict
from tapegate.model.task import Task
from tapegate.oracles.catalog import CATALOG, needs
from tapegate.run.plan import Trial, plan
from tapegate.run.replay import Replayer
from tapegate.run.runner import Runner
from tapegate.tape.store import Loaded

ROOT = Path(__file__).parents[2]
SUITE = load_suite(ROOT)
TRIALS = [trial for trial in plan(ROOT, SUITE.tasks, "pr") if trial.task.mode != "stream_fixture"]
"""All that are replayed from a recording."""
RECORDED = list({trial.recording.file: trial for trial in TRIALS if isinstance(trial.recording, Loaded)}.values())
"""Each recording once: the cases of a task may share one."""
REAL = "local_model"
"""The suite that is recorded from a real model."""


@pytest.fixture(scope="module")
def replayer() -> Iterator[Replayer]:
    """Replays shipped trials; the chat in process, which is faster and the same (test_kinds.py)."""
    env = SUITE.config.subjects["preference_sync"].env
    chat = PythonSubject(
        kind="python",
        entry="paperdesk.chat:ask",
        arguments={"message": "{input}"},
        pythonpath=("src",),
        stream="mixed",
        env=env,
    )
    paths = dict(SUITE.config.paths)
    paths["A1"] = paths["A1"].model_copy(update={"subject": "chat"})
    config = SUITE.config.model_copy(update={"paths": paths, "subjects": {**SUITE.config.subjects, "chat": chat}})
    suite = replace(SUITE, config=config)
    with Runner(suite) as runner:
        yield Replayer(suite, runner, lambda task: needs(task, CATALOG))


def alone(task: Task, index: int) -> Task:
    """The task with one of its accepted outcomes only."""
    expect = task.expect.model_copy(update={"accepted_outcomes": (task.expect.accepted_outcomes[index],)})
    return task.model_copy(update={"expect": expect}).at(task.source)


@pytest.mark.parametrize("eval_id", sorted({trial.task.eval for trial in TRIALS}))
def test_each_outcome_has_a_recording_that_it_alone_accepts(eval_id: str, replayer: Replayer) -> None:
    """Every accepted outcome is met by a recording that no other outcome of the task accepts.

    Each eval accepts answers that differ, or the one that is due to replies that do. What a real model does cannot be
    chosen: there every recording is accepted by one outcome.
    """
    met: set[str | None] = set()
    heard: set[str] = set()
    trials = [trial for trial in TRIALS if trial.task.eval == eval_id]
    for trial in trials:
        trace = replayer.replay(trial)
        outcomes = trial.task.expect.accepted_outcomes
        accepting = [
            outcome.name
            for index, outcome in enumerate(outcomes)
            if grade_trial(alone(trial.task, index), trace, None).verdict is Verdict.PASS
        ]
        assert accepting, f"no outcome of {trial.task.key} accepts trial {trial.number}"
        met.update(accepting if len(accepting) == 1 else ())
        heard.add(repr(trace.events))
    if trials[0].task.suite != REAL:
        assert met == {outcome.name for trial in trials for outcome in trial.task.expect.accepted_outcomes}
        assert None not in met
        assert len(heard) >= 2 or len({repr(trial.task.setup.replies) for trial in trials}) >= 2


@pytest.mark.parametrize("trial", RECORDED, ids=lambda trial: trial.recording.file)
def test_every_recording_says_what_made_it(trial: Trial) -> None:
    """A cassette from rules is never mistaken for one from a language model, nor a very small model for a large one."""
    assert isinstance(trial.recording, Loaded)
    made = trial.recording.cassette.provenance
    models = {model.resolved for model in trial.recording.pin.models}
    if trial.task.suite == REAL:
        assert (made.source, made.source_kind) == ("local", "local")
        assert "SmolLM2-135M-Instruct" in made.source_description
        assert models <= {"SmolLM2-135M-Instruct.Q4_1.gguf", None}
    else:
        assert made.source_kind == "scripted"
        assert "no language model" in made.source_description
        assert models <= {"scripted-librarian-2026-11-01", "scripted-embedder-2026-11-01"}


def test_what_is_prone_to_differ_has_three_recordings_that_do() -> None:
    """The nightly profile replays three trials of a flaky-prone task: in each the model said something else."""
    prone = [trial for trial in plan(ROOT, SUITE.tasks, "nightly") if trial.task.flaky_prone]
    said: dict[str, dict[int, object]] = defaultdict(dict)
    for trial in prone:
        assert isinstance(trial.recording, Loaded), f"{trial.task.key} trial {trial.number} is not recorded"
        bodies = [interaction.response.body for interaction in trial.recording.cassette.interactions]
        said[trial.task.recorded_as][trial.number] = bodies
    assert prone
    for key, trials in said.items():
        assert set(trials) >= {1, 2, 3}, key
        assert len({repr(bodies) for bodies in trials.values()}) == len(trials), key


def answers(suite: Suite) -> set[str]:
    """Ids, inputs and expected facts of all evals that are recorded from it, in lower case."""
    found: set[str] = set()
    for task in (task for task in suite.tasks if task.suite != REAL):
        found |= {task.id.lower(), task.key.lower(), " ".join(task.input.lower().split())}
        if task.path_id == "A3":
            continue  # what a user prefers is said in the model's stock phrases, which are no answer to any question
        for outcome in task.expect.accepted_outcomes:
            found |= {word.lower() for fact in outcome.required_slots.get("facts", ()) for word in fact["any_of"]}
            found |= set(outcome.required_slots.get("citations_local_include", ()))
    # What an honest answer says is no fact of any paper.
    return {text for text in found if not text.startswith(("found nothing", "nothing about", "no paper", "/(?i)"))}


def test_the_scripted_model_is_no_answer_key() -> None:
    """Its source holds no eval's id, input, paper or fact."""
    for path in (ROOT / "src/paperdesk/scripted_model").rglob("*.*"):
        if path.suffix not in (".py", ".txt"):
            continue
        source = " ".join(path.read_text("utf-8").lower().split())
        assert not [text for text in answers(SUITE) if text in source], path


def test_its_ten_questions_are_on_papers_that_no_eval_names() -> None:
    """What the scripted model is shown to answer is not what the evals of the chat ask."""
    tree = ast.parse((ROOT / "tests/paperdesk/scripted_model/test_rules.py").read_text("utf-8"))
    (questions,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "QUESTIONS"
    )
    files = [path for path in (ROOT / "evals").rglob("*.yaml") if path.stem.endswith(("@A1", "@A2"))]
    named = {paper for path in files for paper in re.findall(r"p-[a-z]+-\d\d", path.read_text("utf-8"))}
    assert len({question for question, _, _ in questions}) >= 10
    assert named
    assert not {paper for _, _, paper in questions} & named


@pytest.mark.parametrize("trial", RECORDED, ids=lambda trial: trial.recording.file)
def test_stock_vcrpy_replays_every_shipped_recording(trial: Trial) -> None:
    """Each request of each cassette gets its recorded bytes from vcrpy as anybody has it."""
    assert isinstance(trial.recording, Loaded)
    player = vcr.VCR(record_mode=vcr.mode.NONE, match_on=("method", "uri", "body"))
    with player.use_cassette(str(ROOT / trial.recording.file)) as tape, httpx.Client(trust_env=False) as client:
        for interaction in trial.recording.cassette.interactions:
            request = interaction.request
            answer = client.request(request.method, request.uri, content=request.body)
            assert answer.status_code == interaction.response.status
            assert answer.content == interaction.response.body
    assert tape.all_played
