"""Entries of Python subjects: how they are found, what they may give, and how their exceptions are told."""

from __future__ import annotations

import sys

import pytest

from tapegate.subject import entry


@pytest.mark.parametrize("name", ["json:dumps", "json.encoder:JSONEncoder.default", "os:path.join"])
def test_an_entry_is_found_by_module_and_names(name):
    """What stands before the colon is imported, what follows are attributes."""
    assert callable(entry.load(name))


@pytest.mark.parametrize(
    ("name", "error"),
    [("no_such_module:x", ModuleNotFoundError), ("json:nothing", AttributeError), ("json:__name__", TypeError)],
)
def test_an_entry_that_is_none_raises(name, error):
    """A module, a name or a callable that is not there is told by Python's own exception, or a TypeError."""
    with pytest.raises(error):
        entry.load(name)


@pytest.mark.parametrize(("largest", "most"), [(9, 100), (100, 4)])
def test_an_answer_without_an_end_is_cut(monkeypatch, largest, most):
    """Bytes and pieces are counted, and what goes beyond is an exception of the agent's answer."""
    monkeypatch.setattr(entry, "LARGEST", largest)
    monkeypatch.setattr(entry, "MOST", most)
    given = []
    with pytest.raises(entry.AnswerTooLarge, match="may have"):
        entry.answer(iter(lambda: "ab", ""), given.append)
    assert given == [b"ab"] * 4


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("at 0x7f3a2b1c"), "ValueError: at 0x…"),
        (ValueError(), "ValueError"),
        (OSError(2, "gone", "/home/me/project/a"), "FileNotFoundError: [Errno 2] gone: '{project}/a'"),
        (ValueError("/home/me/project-2 /home/me/project"), "ValueError: /home/me/project-2 {project}"),
        (ValueError("/home/me/project/work/x"), "ValueError: {workspace}/x"),
        (ValueError("x" * 600), "ValueError: " + "x" * 487 + "…"),
        (ValueError("\ud83d"), "ValueError: \\ud83d"),
    ],
)
def test_an_exception_is_told_in_the_same_words_on_every_machine(error, text):
    """Addresses and folders are taken out, the longest folder first, and the text is UTF-8 of a bounded length."""
    places = {"/home/me/project": "{project}", "/home/me/project/work": "{workspace}"}
    assert entry.describe(error, places) == text


def test_a_traceback_begins_at_the_agents_own_code(capsys, tmp_path, monkeypatch):
    """Frames of the harness and of the import machinery are left out; an error without others is still told."""
    (tmp_path / "broken_agent.py").write_text("def fail():\n    raise ValueError('no data')\nfail()\n")
    (tmp_path / "unreadable_agent.py").write_text("def (\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name, own in (("broken_agent", 2), ("unreadable_agent", 0)):
        with pytest.raises((ValueError, SyntaxError)) as caught:
            entry.load(f"{name}:ask")
        assert caught.value.__traceback__ is not None
        caught.value.__traceback__ = caught.value.__traceback__.tb_next  # this test's own frame
        entry.show(caught.value)
        printed = capsys.readouterr().err
        assert "entry.py" not in printed
        assert "importlib" not in printed
        assert printed.count(", in ") == own
        assert name in printed
    assert "broken_agent" not in sys.modules
