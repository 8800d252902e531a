"""Paths of somebody's machine."""

from __future__ import annotations

import pytest

from tapegate.oracles.private_paths import private_paths


def found(text: str) -> list[str]:
    """The private paths of a text."""
    return [text[start:end] for start, end in private_paths(text)]


@pytest.mark.parametrize(
    "path",
    [
        "/Users/ada/library/map.pdf",
        "/home/ada",
        "/var/log/paperdesk.log",
        "/tmp/x",
        "/root/.ssh",
        "/private/var/folders/ab",
        "/mnt/c/Users/ada",
        "C:\\Users\\ada\\map.pdf",
        "c:/users/ada",
        "C:\\\\Users\\\\ada",
        "D:\\Documents and Settings\\ada",
        "file:///etc/hosts",
        "FILE://server/x",
        "sqlite:////home/ada/desk.db",
        "sqlite:///var/desk.db",
        "vscode://file/Users/ada/x",
        "/c/Users/ada",
        "/cygdrive/c/Users/ada",
        "/host_mnt/Users/ada",
        "/Volumes/Disk/Users/ada",
        "%2FUsers%2Fada",
        "\\/Users\\/ada",
        "&#47;home&#47;ada",
        "／Users／ada",
        "/Us\u200bers/ada",
        "/Uѕers/ada",
    ],
)
@pytest.mark.parametrize("frame", ["{}", "It is in {} now.", "path:{}", "({})", "`{}`", "x\n{}\ny", '"{}"'])
def test_a_path_is_found_in_any_spelling_and_place(path, frame):
    """Unix, macOS, Windows and WSL paths, file URLs, escaped and disguised ones, wherever they start a word."""
    (span,) = found(frame.format(path))
    assert span.rstrip(".") == path


@pytest.mark.parametrize(
    "text",
    [
        "https://a.org/home/ada and http://a.org/Users/x",
        "https://home/ada https://home//tmp/x ftp://tmp/x a//home/ada",
        "docs/.../home/x docs/_/home/x x_/home/y a-L/home/x",
        "GET /USER/12 and /users/12",
        "docs/var/x ../tmp/x ./home/x",
        "http://localhost/home/feed redis://localhost/tmp/0 smb://host/Users/ada",
        "docs/c/Users/x https://a.org/c/Users/x /a/home/x /mnt/home",
        "/paper/p1 /library/home",
        "GET /users/12",
        "/homework/x /variance/",
        "and/home/or",
        "the profile://x scheme",
        "Users/ada",
        "a temporary file",
        "",
    ],
)
def test_other_addresses_are_no_private_paths(text):
    """Web addresses, relative paths and routes of an API are none."""
    assert found(text) == []


def test_each_path_is_found_once():
    """A path that several readings show is one."""
    assert found("/tmp/a and %2Ftmp%2Fb and /tmp/a") == ["/tmp/a", "%2Ftmp%2Fb", "/tmp/a"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("in _/Users/ada/code_ now", "/Users/ada/code_"),
        ("in ~~/home/ada/x~~ now", "/home/ada/x~~"),
        ("in _C:\\Users\\ada_ now", "C:\\Users\\ada_"),
        ("in //home/ada now", "//home/ada"),
        ("in /./home/ada now", "/./home/ada"),
        ("See.../home/ada now", "/home/ada"),
        ("in /USERS/ada now", "/USERS/ada"),
        ("cc -L/home/ada/lib x", "/home/ada/lib"),
    ],
)
def test_what_stands_before_a_path_does_not_hide_it(text, path):
    """Emphasis, options, an ellipsis and doubled slashes."""
    assert found(text) == [path]
