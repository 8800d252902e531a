"""Warm workers: there where an agent can be forked, and gone with all they hold."""

from __future__ import annotations

import os

import pytest

from tapegate.run import warm
from tapegate.run.warm import Warm
from tapegate.subject.environment import environment


@pytest.fixture
def start(kit):
    """Starts a warm worker of the kit's agent."""

    def build() -> Warm | None:
        subject = kit.suite().config.subjects["agent"]
        return Warm.start(
            subject,
            kit.root,
            lambda home, level: environment(os.environ, workspace=home.folder, services={}, urls={}, level=level),
        )

    return build


def test_an_agent_that_can_be_forked_has_one(kit, start):
    """Its home is there while it is, and goes with it."""
    kit.agent("import os, pathlib\nHOME = pathlib.Path.home()\ndef ask(input):\n    return str(HOME)\n")
    made = start()
    assert made is not None
    assert not made.touched()
    assert made._home.is_dir()
    (made._home / "cache").write_text("x")
    assert made.touched()
    made.close()
    assert not made._home.exists()


@pytest.mark.parametrize(
    "source",
    [
        "import no_such_module\n",
        "import subprocess\nsubprocess.run(['curl', '-sm1', 'http://192.0.2.7/'])\ndef ask(input):\n    return ''\n",
    ],
    ids=["fails", "reaches out by another program"],
)
def test_an_agent_that_cannot_has_none(kit, start, source):
    """Each of its trials imports it; what is tried there is known of the trial, and not of whoever came first."""
    if "curl" in source and warm.best("python") != "namespace":
        pytest.skip("no network namespace here: programs that a subject starts are not seen")
    assert kit.agent(source) is kit
    assert start() is None


def test_a_home_is_compared_by_names_sizes_and_times(tmp_path):
    """A file that came, went or changed shows; looking changes nothing."""
    seen = [warm._files(tmp_path)]
    for change in (
        (tmp_path / "a").mkdir,
        lambda: (tmp_path / "a" / "b").write_text("1"),
        lambda: (tmp_path / "a" / "b").write_text("22"),
        lambda: os.utime(tmp_path / "a" / "b", ns=(1, 1)),
        (tmp_path / "a" / "b").unlink,
    ):
        change()
        assert warm._files(tmp_path) == warm._files(tmp_path)
        seen.append(warm._files(tmp_path))
    assert len({*seen}) == len(seen)
