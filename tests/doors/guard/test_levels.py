"""What a machine can do to keep subjects off the network."""

from __future__ import annotations

import json
import os

import pytest

from tapegate.doors.guard import levels
from tapegate.doors.guard.enclosure import Enclosure
from tapegate.doors.guard.levels import Facts, best, describe, facts, weaker
from tapegate.errors import Unavailable


@pytest.fixture(autouse=True)
def forgotten():
    """What was found out in one test is not known in the next."""
    facts.cache_clear()
    yield
    facts.cache_clear()


@pytest.fixture
def no_namespaces(monkeypatch):
    """A machine whose kernel refuses."""

    def refuse(level, means):
        raise Unavailable.of("no_namespace", "Operation not permitted: unshare")

    monkeypatch.setattr(Enclosure, "open", staticmethod(refuse))


def test_a_namespace_is_the_best_where_there_is_one(namespaces):
    """Every kind of subject gets a namespace on a machine that has them."""
    assert (best("http"), best("python")) == ("namespace", "namespace")
    assert describe()["levels"] == ["none", "in_process", "namespace"]


def test_without_one_a_python_subject_is_guarded_from_within(no_namespaces):
    """An HTTP subject is then left with proxy variables, and the reason is told."""
    assert (best("http"), best("python")) == ("none", "in_process")
    facts = describe()
    assert (facts["levels"], facts["namespace"]) == (["none", "in_process"], "unavailable")
    assert "namespace: Operation not permitted: unshare" in facts["reasons"]
    assert json.loads(json.dumps(facts)) == facts


def test_sudo_is_tried_where_the_kernel_refuses_a_user(monkeypatch):
    """A user that the kernel refuses gets the namespace through sudo, and both facts are told."""

    class Opened:
        def __enter__(self): ...
        def __exit__(self, *_): ...

    def refuse(level, means):
        if means == "sudo":
            return Opened()
        raise Unavailable.of("no_namespace", "Permission denied: user map")

    monkeypatch.setattr(Enclosure, "open", staticmethod(refuse))
    monkeypatch.setattr(levels.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert facts() == Facts("sudo", ("namespace: Permission denied: user map",), facts().kernel)


def test_the_machine_is_asked_once(monkeypatch):
    """However many trials ask, one namespace is made to find out."""
    opened = []

    def refuse(level, means):
        opened.append(means)
        raise Unavailable.of("no_namespace", "no")

    monkeypatch.setattr(Enclosure, "open", staticmethod(refuse))
    monkeypatch.setattr(levels.shutil, "which", lambda name: None)
    assert [best("http") for _ in range(3)] == ["none"] * 3
    assert opened == ["namespace"]


@pytest.mark.parametrize(
    ("level", "required", "expected"),
    [
        ("none", "none", False),
        ("none", "in_process", True),
        ("in_process", "namespace", True),
        ("namespace", "in_process", False),
    ],
)
def test_levels_are_ordered(level, required, expected):
    """A profile's `require_guard` refuses what is weaker."""
    assert weaker(level, required) is expected


def test_what_a_machine_lacks_is_said_with_its_reason(monkeypatch):
    """Opening a namespace without one names why there is none, and what to do."""
    monkeypatch.setattr(levels, "facts", lambda: Facts(None, ("namespace: seccomp says no",), "Linux"))
    monkeypatch.setattr("tapegate.doors.guard.enclosure.facts", levels.facts)
    with pytest.raises(Unavailable, match=r"(?s)seccomp says no.*tapegate doctor") as caught:
        Enclosure.open("namespace")
    assert caught.value.exit_code == 3
