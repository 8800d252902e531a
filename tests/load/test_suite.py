"""A project's evals: names, folders, references between files, and links that leave the project."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tapegate.errors import LoadError
from tapegate.load.suite import load_suite, survey

Project = Callable[..., Path]
TASK_FILE = "evals/retrieval/RET-01@A1.yaml"


def _told(root: Path) -> list[tuple[str | None, int | None, str]]:
    return [(problem.file, problem.line, problem.code) for problem in survey(root).problems]


def test_a_sound_project_loads(project: Project, task_text: str) -> None:
    """Tasks are sorted by key, whatever their suite, and know their files from the project's root."""
    other = task_text.replace("RET-01", "AGT-02").replace("suite: retrieval", "suite: zeta")
    root = project({"evals/zeta/AGT-02@A1.yaml": other, "evals/README.md": "words", "evals/retrieval/.keep": ""})
    suite = load_suite(root)
    assert [task.key for task in suite.tasks] == ["AGT-02@A1", "RET-01@A1"]
    assert suite.tasks[1].source.file == TASK_FILE
    assert suite.task("RET-01@A1") is suite.tasks[1]
    assert suite.source.line("paths", "A1", "status") == 5
    assert suite.project == root.resolve()
    with pytest.raises(KeyError):
        suite.task("RET-99@A1")


def test_a_task_may_be_json(project: Project, task_text: str) -> None:
    """A .json file is a task like any other."""
    text = json.dumps(yaml.safe_load(task_text) | {"id": "RET-02"})
    suite = load_suite(project({"evals/retrieval/RET-02@A1.json": text}))
    assert [task.key for task in suite.tasks] == ["RET-01@A1", "RET-02@A1"]


def test_snapshots_and_fixtures_are_found_by_name(project: Project, task_text: str) -> None:
    """A name means the one file of that name, with its ending or without; a snapshot is .sql or .sqlite3."""
    setup = "setup: {db_snapshot: base_v1, fixtures: [paper, notes.txt, v1.2]}\n"
    files = [
        "snapshots/base_v1.sql",
        "snapshots/base_v1.txt",
        "fixtures/paper.sql",
        "fixtures/notes.txt",
        "fixtures/v1.2.sql",
    ]
    suite = load_suite(project({TASK_FILE: task_text + setup} | {f"evals/{name}": "" for name in files}))
    (task,) = suite.tasks
    assert suite.snapshot_of(task) == suite.evals / "snapshots/base_v1.sql"
    assert suite.fixtures_of(task) == tuple(
        suite.evals / "fixtures" / name for name in ("paper.sql", "notes.txt", "v1.2.sql")
    )


def test_a_task_without_a_setup_has_no_files(project: Project) -> None:
    """No snapshot is None, no fixtures an empty tuple."""
    suite = load_suite(project())
    assert (suite.snapshot_of(suite.tasks[0]), suite.fixtures_of(suite.tasks[0])) == (None, ())


@pytest.mark.parametrize(
    ("setup", "files", "code", "fix"),
    [
        ("{db_snapshot: base_v2}", ["snapshots/base_v1.sql"], "missing_snapshot", "did you mean 'base_v1'?"),
        ("{db_snapshot: base}", ["snapshots/base.txt"], "missing_snapshot", "known: none"),
        (
            "{db_snapshot: base}",
            ["snapshots/base.sql", "snapshots/base.sqlite3"],
            "ambiguous_snapshot",
            "with its ending",
        ),
        ("{fixtures: [papers]}", ["fixtures/paper.sql"], "missing_fixture", "did you mean 'paper'?"),
        ("{fixtures: [Paper]}", ["fixtures/paper.sql"], "missing_fixture", "did you mean 'paper'?"),
        ("{fixtures: [paper]}", ["fixtures/paper.sql", "fixtures/paper.txt"], "ambiguous_fixture", "with its ending"),
    ],
)
def test_a_setup_that_names_no_one_file_is_told(
    setup: str, files: list[str], code: str, fix: str, project: Project, task_text: str
) -> None:
    """Missing and ambiguous names are told at the line that names them, case taken seriously."""
    root = project({TASK_FILE: task_text + f"setup: {setup}\n"} | {f"evals/{name}": "" for name in files})
    (problem,) = survey(root).problems
    assert (problem.file, problem.line, problem.code) == (TASK_FILE, 11, code)
    assert fix in (problem.fix or "")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"evals/tapegate.yaml": None}, [("evals/tapegate.yaml", None, "no_config")]),
        ({TASK_FILE: None}, [("evals/retrieval", None, "vacuous_suite")]),
        ({"evals/empty/README.md": ""}, [("evals/empty", None, "vacuous_suite")]),
        ({"evals/retrieval/RET-02@A1.yml": ""}, [("evals/retrieval/RET-02@A1.yml", None, "misplaced_file")]),
        ({"evals/retrieval/more/RET-02@A1.yaml": ""}, [("evals/retrieval/more", None, "misplaced_file")]),
        ({"evals/RET-02@A1.yaml": ""}, [("evals/RET-02@A1.yaml", None, "misplaced_file")]),
        ({"evals/tapegate.yml": ""}, [("evals/tapegate.yml", None, "misplaced_file")]),
        ({"evals/retrieval/RET-02@A1.yaml": ""}, [("evals/retrieval/RET-02@A1.yaml", 1, "empty_document")]),
    ],
)
def test_files_that_are_missing_or_in_the_wrong_place_are_told(
    files: dict[str, str | None], expected: list[tuple[str, int | None, str]], project: Project
) -> None:
    """Nothing that could be meant as a task is passed over in silence; no suite is empty (TAS-12)."""
    assert _told(project(files)) == expected


def test_a_project_without_evals_is_told(tmp_path: Path) -> None:
    """An empty folder is no project, and passes nothing."""
    assert _told(tmp_path) == [("evals", None, "no_evals")]
    (tmp_path / "evals").mkdir()
    assert _told(tmp_path) == [("evals", None, "vacuous_suite"), ("evals/tapegate.yaml", None, "no_config")]
    with pytest.raises(LoadError):
        load_suite(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "line", "code", "fix"),
    [
        ("id: RET-01", "id: RET-02", 1, "misnamed_task", "rename it to RET-02@A1.yaml"),
        ("suite: retrieval", "suite: retreival", 2, "misnamed_task", "move it to the folder 'retreival'"),
    ],
)
def test_a_task_lies_where_it_says(
    old: str, new: str, line: int, code: str, fix: str, project: Project, task_text: str
) -> None:
    """File and folder agree with key and suite, so that a person finds a task and its cassettes."""
    (problem,) = survey(project({TASK_FILE: task_text.replace(old, new)})).problems
    assert (problem.file, problem.line, problem.code) == (TASK_FILE, line, code)
    assert fix in (problem.fix or "")


def test_a_path_that_the_scope_table_lacks_is_told(project: Project, task_text: str) -> None:
    """The path of a task is in the table, or the nearest one is suggested."""
    root = project({TASK_FILE: None, "evals/retrieval/RET-01@A11.yaml": task_text.replace("A1", "A11")})
    (problem,) = survey(root).problems
    assert (problem.line, problem.code) == (3, "unknown_path")
    assert "did you mean 'A1'?" in (problem.fix or "")


def test_a_task_may_ask_another_subject_of_its_path(project: Project, task_text: str) -> None:
    """A path may have several entries; a name that is not declared is told, with the nearest one."""
    config = (project() / "evals/tapegate.yaml").read_text()
    head, _, rest = config.partition("subjects:\n")
    other = "subjects:\n  second:\n    kind: python\n    entry: other:ask\n    stream: text\n" + rest
    files = {"evals/tapegate.yaml": head + other}
    suite = load_suite(project(files | {TASK_FILE: task_text + "subject: second\n"}))
    (task,) = suite.tasks
    assert suite.config.subject_name(task) == "second"
    assert suite.config.subject_of(task).kind == "python"
    (problem,) = survey(project(files | {TASK_FILE: task_text + "subject: secnd\n"})).problems
    assert (problem.file, problem.line, problem.code) == (TASK_FILE, 11, "unknown_subject")
    assert "did you mean 'second'?" in (problem.fix or "")


@pytest.mark.parametrize(
    ("second", "change"),
    [
        ("evals/retrieval/RET-01@A1.json", ("", "")),
        ("evals/other/RET-01@A1.yaml", ("suite: retrieval", "suite: other")),
        ("evals/other/ret-01@A1.yaml", ("id: RET-01\nsuite: retrieval", "id: ret-01\nsuite: other")),
        ("evals/other/RET-01@a1.yaml", ("suite: retrieval\npath_id: A1", "suite: other\npath_id: a1")),
    ],
)
def test_a_key_stands_in_one_file(
    second: str, change: tuple[str, str], project: Project, task_text: str, config_text: str
) -> None:
    """TAS-03: equal keys, also when only case differs, are told at each of their places, naming the others."""
    text = task_text.replace(*change)
    if second.endswith(".json"):
        text = json.dumps(yaml.safe_load(task_text), indent=0)
    config = config_text.replace("subjects:", "  a1: {title: x, status: y, files: [z], subject: desk}\nsubjects:", 1)
    found = survey(project({second: text, "evals/tapegate.yaml": config})).problems
    assert sorted((problem.file, problem.code) for problem in found) == sorted(
        [(second, "duplicate_task"), (TASK_FILE, "duplicate_task")]
    )
    for problem, other in zip(
        sorted(found, key=lambda problem: problem.file != second), (TASK_FILE, second), strict=True
    ):
        assert other in problem.message


def test_ids_that_differ_in_unicode_form_alone_are_one(project: Project, task_text: str) -> None:
    """TAS-03: a composed and a decomposed é are one file on some systems, beside being no portable names."""
    composed, decomposed = "R\u00c9T", "RE\u0301T"
    root = project(
        {
            TASK_FILE: None,
            f"evals/retrieval/{composed}@A1.yaml": task_text.replace("RET-01", composed),
            f"evals/retrieval/{decomposed}@A1.yaml": task_text.replace("RET-01", decomposed),
        }
    )
    assert [code for _, _, code in _told(root)].count("duplicate_task") == 2


def test_suites_differ_by_more_than_case(project: Project, task_text: str) -> None:
    """Two folders that are one on systems that ignore case are refused."""
    text = task_text.replace("RET-01", "RET-02").replace("suite: retrieval", "suite: Retrieval")
    assert ("evals/retrieval", None, "duplicate_suite") in _told(project({"evals/Retrieval/RET-02@A1.yaml": text}))


@pytest.mark.parametrize("name", [TASK_FILE, "evals/retrieval", "evals/tapegate.yaml", "evals", "evals/fixtures/x.txt"])
def test_a_link_that_leaves_the_project_is_refused(
    name: str, project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A file, a folder or the whole of `evals` behind a link to elsewhere is `path_escape`, never read as ours."""
    root = project({"evals/fixtures/x.txt": ""})
    outside = tmp_path_factory.mktemp("outside") / "moved"
    (root / name).rename(outside)
    (root / name).symlink_to(outside)
    assert [place for place in _told(root) if place[2] == "path_escape"] == [(name, None, "path_escape")]
    assert survey(root, root / "evals").problems == survey(root).problems


def test_evals_behind_a_linked_folder_are_refused(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A link higher up than `evals` itself leaves the project just as well, and gives no empty suite."""
    root = project()
    outside = tmp_path_factory.mktemp("outside")
    (root / "evals").rename(outside / "evals")
    (root / "deep").symlink_to(outside)
    assert [problem.code for problem in survey(root, root / "deep" / "evals").problems] == ["path_escape"]


def test_a_project_may_itself_be_reached_by_a_link(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The project's own folder may stand behind a link; its files are named from its root."""
    root = project()
    link = tmp_path_factory.mktemp("elsewhere") / "link"
    link.symlink_to(root)
    for suite in (load_suite(link), load_suite(link, link / "evals"), load_suite(root, link / "evals")):
        assert suite.tasks[0].source.file.endswith(TASK_FILE)
    assert load_suite(link, link / "evals").tasks[0].source.file == TASK_FILE


def test_a_link_inside_the_project_is_followed(project: Project) -> None:
    """A fixture may be a link to a file of the same project."""
    root = project({"evals/fixtures/x.txt": ""})
    (root / "evals/fixtures/y.txt").symlink_to(root / "src/agent.py")
    assert _told(root) == []


def test_a_link_to_itself_is_refused(project: Project) -> None:
    """A loop leads nowhere."""
    root = project({"evals/fixtures/x.txt": ""})
    (root / "evals/fixtures/y.txt").symlink_to("y.txt")
    assert _told(root) == [("evals/fixtures/y.txt", None, "path_escape")]


def test_a_pipe_is_not_opened(project: Project) -> None:
    """A named pipe called like a task would block a reader for ever; it is told instead."""
    root = project()
    os.mkfifo(root / "evals/retrieval/RET-02@A1.yaml")
    assert _told(root) == [("evals/retrieval/RET-02@A1.yaml", None, "misplaced_file")]


def test_a_file_name_is_shown_so_that_it_cannot_act(project: Project) -> None:
    """Line breaks and bytes that are no UTF-8 in a file's name are escaped in messages."""
    root = project()
    Path(os.fsdecode(os.fsencode(root) + b"/evals/retrieval/x\n::error::\xff")).touch()
    (problem,) = survey(root).problems
    assert problem.file == "evals/retrieval/x\\n::error::\\udcff"
    str(problem).encode()
    assert "\n::" not in str(problem)


def test_a_command_answers_one_message_at_a_time(project: Project, task_text: str) -> None:
    """Several at once are for a server or a callable; one after the other is fine."""
    command = "kind: command\n    command: [ask, '{input}']\n"
    task = task_text.replace("mode: single_turn\n", "mode: concurrent\nbeside: [And?]\n")
    root = project({TASK_FILE: task})
    config = root / "evals/tapegate.yaml"
    config.write_text(config.read_text().replace("kind: python\n    entry: agent:answer\n", command))
    assert _told(root) == [(TASK_FILE, 4, "mode_mismatch")]
    (root / TASK_FILE).write_text(task.replace("concurrent\nbeside", "multi_turn\nthen"))
    assert _told(root) == []


def test_a_python_path_is_a_folder_of_the_project(
    project: Project, config_text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A folder that is missing, or a link to elsewhere, is told at its line."""
    root = project({"evals/tapegate.yaml": config_text + "    pythonpath: [src, lib, away]\n"})
    (root / "away").symlink_to(tmp_path_factory.mktemp("outside"))
    assert _told(root) == [("evals/tapegate.yaml", 13, "missing_folder")] * 2


def test_every_problem_of_every_file_is_told(project: Project, task_text: str) -> None:
    """Config, tasks, names and references at once, sorted by file and line; the error carries them all."""
    root = project(
        {
            "evals/tapegate.yaml": "version: 1\npaths: {}\nsubjects: {}\n",
            TASK_FILE: task_text.replace("single_turn", "two_turns") + "trials: x\nsetup: {fixtures: [none]}\n",
            "evals/retrieval/RET-07@A9.yaml": task_text,
        }
    )
    expected = [
        (TASK_FILE, 1, "duplicate_task"),
        (TASK_FILE, 3, "unknown_path"),
        (TASK_FILE, 4, "unknown_value"),
        (TASK_FILE, 11, "wrong_type"),
        (TASK_FILE, 12, "missing_fixture"),
        ("evals/retrieval/RET-07@A9.yaml", 1, "duplicate_task"),
        ("evals/retrieval/RET-07@A9.yaml", 1, "misnamed_task"),
        ("evals/retrieval/RET-07@A9.yaml", 3, "unknown_path"),
    ]
    assert sorted(place for place in _told(root) if place[0] != "evals/tapegate.yaml") == sorted(expected)
    assert [code for file, _, code in _told(root) if file == "evals/tapegate.yaml"] == ["too_few", "too_few"]
    with pytest.raises(LoadError) as caught:
        load_suite(root)
    assert len(caught.value.problems) == len(_told(root))


def test_evals_may_lie_elsewhere(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Another `evals` folder is taken as it is given, and its files are named as they are."""
    root = project()
    elsewhere = tmp_path_factory.mktemp("base") / "evals"
    (root / "evals").rename(elsewhere)
    suite = load_suite(root, elsewhere)
    assert suite.tasks[0].source.file == f"{elsewhere.resolve().as_posix()}/retrieval/RET-01@A1.yaml"


def test_what_is_sound_is_there_beside_what_is_not(project: Project) -> None:
    """A survey holds the tasks without a problem of their own, so that more can be said of them."""
    found = survey(project({"evals/retrieval/RET-02@A1.yaml": "id: 3\n"}))
    assert [task.key for task in found.tasks] == ["RET-01@A1"]
    assert found.config is not None
    assert found.problems
