"""Metrics of a repository and of installed packages, under the rules of the built-in ones."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tapegate.errors import LoadError
from tapegate.oracles import plugins
from tapegate.oracles.catalog import CATALOG, check_contract
from tapegate.oracles.manual import SECTIONS
from tapegate.oracles.plugins import catalog_of

DOC = "How many words the answer has.\n\n" + "".join(
    f"    {title}\n    {'-' * len(title)}\n    Words.\n\n" for title in SECTIONS
)
PLUGIN = f'''
from tapegate.model.finding import Unmet
from tapegate.model.trace import Account, Ending, Text, Trace
from tapegate.oracles.case import Case
from tapegate.oracles.oracle import Oracle, slot_path
from tapegate.oracles.slot import at_most

def said(text):
    return Trace("CASE-01@A1", 1, (Text(text),), (), Account(), Ending("completed"))

TWO = {{"expect": {{"accepted_outcomes": [{{"required_slots": {{"words_max": 2}}}}]}}}}

class WordCount(Oracle):
    """{DOC}    """

    name = "word_count"
    version = 1
    codes = {{"too_many_words": "The answer has more words than allowed."}}
    slots = {{"words_max": at_most("The answer has at most so many words.", least=1)}}
    invariants = {{}}
    cases = (
        Case("one word", TWO, said("One")),
        Case("two words", TWO, said("One two")),
        Case("three words", TWO, said("One two three"), ("too_many_words",)),
    )

    def unmet(self, index, outcome, task, trace):
        most = outcome.required_slots.get("words_max")
        if most is not None and len(trace.text.split()) > most:
            yield Unmet("too_many_words", "too many words", slot_path(index, "words_max"))
'''


@pytest.fixture
def loaded(tmp_path: Path) -> Callable[..., Any]:
    """The catalog of a project with these files in evals/oracles."""

    def load(**files: str) -> Any:
        folder = tmp_path / "evals" / "oracles"
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text)
        return catalog_of(tmp_path)

    return load


def test_a_metric_of_the_project_is_one_like_any_other(loaded, make_task):
    """It is found by its file, declared by its name, and judges its slots."""
    catalog = loaded(word_count=PLUGIN)
    assert [oracle.name for oracle in catalog] == [*(oracle.name for oracle in CATALOG), "word_count"]
    task = make_task({"required_slots": {"words_max": 0}}, metrics=["word_count"])
    assert [problem.code for problem in check_contract(task, catalog)] == ["bad_slot_value"]
    task = make_task({"required_slots": {"words_max": 3}}, metrics=["word_count"])
    assert check_contract(task, catalog) == []
    assert {"unknown_slot", "unknown_metric"} <= {problem.code for problem in check_contract(task)}


def test_a_project_without_metrics_has_the_built_in_ones(tmp_path):
    """No folder, an empty one, and files that are no Python."""
    assert catalog_of(tmp_path) == CATALOG
    (tmp_path / "evals" / "oracles").mkdir(parents=True)
    (tmp_path / "evals" / "oracles" / "README.md").write_text("Nothing yet.")
    assert catalog_of(tmp_path) == CATALOG


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("Why it is deterministic", "Whether it is deterministic", "metric_refused", "no text under 'Why it is determ"),
        ("version = 1", "version = 0", "metric_refused", "version 0"),
        ('Case("one word", TWO, said("One")),', "", "metric_refused", "2 cases, and a metric has at least 3"),
        ('said("One")', 'said("One two three")', "metric_refused", "finds ['too_many_words'], and is to find []"),
        ('("too_many_words",)),', "()),", "metric_refused", "no case shows what it finds as 'too_many_words'"),
        ("yield Unmet", "return; yield Unmet", "metric_refused", "finds [], and is to find ['too_many_words']"),
        ("if most is not", "if nothing is not", "metric_refused", "raises NameError"),
        ('"words_max": 2', '"words_max": 2}, "x": {"y": 1', "metric_refused", "is none: "),
        ('name = "word_count"', 'name = "Word Count"', "metric_refused", "is not snake_case"),
        (
            'name = "word_count"',
            'name = "tool_trace"',
            "metric_collision",
            "metric 'tool_trace' belongs to 'tool_trace'",
        ),
        ("words_max", "sentences_max", "metric_collision", "slot 'sentences_max' belongs to 'schema_contract'"),
        ("invariants = {}", 'invariants = {"no_network_attempt": "Mine."}', "metric_collision", "'every trial'"),
        ("import at_most", "import at_mst", "metric_unloadable", "ImportError"),
        ("class WordCount(Oracle):", "class WordCount(Oracle:", "metric_unloadable", "SyntaxError"),
        ("def said(text):", "raise SystemExit(3)\n\ndef said(text):", "metric_unloadable", "SystemExit: 3"),
        ("(Oracle):", "(object):", "no_metric", "holds no metric"),
        ("    slots = {", "    other = {", "no_metric", "it wants name, version, codes, slots"),
    ],
)
def test_a_metric_that_breaks_a_rule_stops_the_run(loaded, old, new, code, said):
    """With the file, the line where there is one, and what is wrong; nothing is left out in silence."""
    assert old in PLUGIN
    with pytest.raises(LoadError) as raised:
        loaded(word_count=PLUGIN.replace(old, new))
    found = [problem for problem in raised.value.problems if problem.code == code]
    assert any(said in problem.message for problem in found), raised.value
    if code in ("metric_refused", "metric_unloadable"):
        assert found[0].file == "evals/oracles/word_count.py"


def test_all_that_is_wrong_is_told_at_once(loaded):
    """In every file."""
    with pytest.raises(LoadError) as raised:
        loaded(a="raise ValueError('no')", b=PLUGIN.replace("version = 1", "version = 0"), c="x = 1")
    assert [problem.code for problem in raised.value.problems] == ["metric_unloadable", "metric_refused", "no_metric"]
    assert raised.value.problems[0].line == 1


def test_two_files_may_not_claim_one_name(loaded):
    """Which of them would count is not for the file system to decide."""
    with pytest.raises(LoadError, match="metric 'word_count' belongs to 'word_count' and to 'word_count'"):
        loaded(one=PLUGIN, two=PLUGIN)


def test_a_file_that_leaves_the_project_is_refused(loaded, tmp_path):
    """As any other link out of it."""
    outside = tmp_path.parent / f"{tmp_path.name}-outside.py"
    outside.write_text(PLUGIN)
    loaded()
    (tmp_path / "evals" / "oracles" / "word_count.py").symlink_to(outside)
    with pytest.raises(LoadError, match="path_escape"):
        catalog_of(tmp_path)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Pretends that a package with this source names this object as a metric."""

    def install(source: str, name: str) -> None:
        (tmp_path / "own_metrics.py").write_text(source)
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(importlib.sys.modules, "own_metrics", raising=False)  # type: ignore[attr-defined]
        point = EntryPoint("word_count", f"own_metrics:{name}", plugins.GROUP)
        vars(point).update(dist=SimpleNamespace(name="own-metrics"))
        monkeypatch.setattr(plugins, "entry_points", lambda group: [point] if group == plugins.GROUP else [])

    return install


def test_a_package_names_its_metrics_by_entry_point(installed, tmp_path):
    """A class or an instance, under the same rules."""
    installed(PLUGIN, "WordCount")
    assert catalog_of(tmp_path)[-1].name == "word_count"


@pytest.mark.parametrize(
    ("source", "name", "code"),
    [
        (PLUGIN.replace("version = 1", "version = 0"), "WordCount", "metric_refused"),
        (PLUGIN, "WordCont", "metric_unloadable"),
        (PLUGIN, "said", "no_metric"),
        ("import no_such_thing", "WordCount", "metric_unloadable"),
    ],
)
def test_a_package_that_does_not_keep_its_word_stops_the_run(installed, tmp_path, source, name, code):
    """Named by the package and what it promised."""
    installed(source, name)
    with pytest.raises(LoadError) as raised:
        catalog_of(tmp_path)
    assert raised.value.problems[0].code == code
    assert "own-metrics (own_metrics:" in (raised.value.problems[0].file or "")
