"""Settings from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperdesk.settings import Settings, SettingsError


def test_defaults() -> None:
    """An empty environment gives a dated model, seed 42, temperature 0 and no web search."""
    settings = Settings.from_env({})
    assert settings == Settings()
    assert (settings.seed, settings.temperature, settings.top_p, settings.max_tokens) == (42, 0, 1, 1024)
    assert settings.search_url is None
    assert any(char.isdigit() for char in settings.model)


def test_every_variable() -> None:
    """Each variable sets its setting; a slash at the end of the search URL does not count."""
    env = {
        "PAPERDESK_MODEL": "m-1",
        "PAPERDESK_DB": "/data/x.sqlite3",
        "PAPERDESK_SEARCH_URL": "http://127.0.0.1:1/",
        "PAPERDESK_SEED": "43",
        "PAPERDESK_EMBEDDING_MODEL": "e-1",
        "PAPERDESK_CRITIC_THRESHOLD": "7",
        "PAPERDESK_SYNC_AFTER": "0",
        "PAPERDESK_TIMEOUT_S": "600",
    }
    expected = Settings("m-1", Path("/data/x.sqlite3"), "http://127.0.0.1:1", 43, "e-1", 7, 0, timeout_s=600)
    assert Settings.from_env(env) == expected


def test_empty_counts_as_absent() -> None:
    """A variable that is set to nothing is as if it were not set."""
    assert Settings.from_env(dict.fromkeys(("PAPERDESK_MODEL", "PAPERDESK_SEED", "PAPERDESK_DB"), "")) == Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PAPERDESK_SEED", "4.2"),
        ("PAPERDESK_SEED", "no"),
        ("PAPERDESK_SEARCH_URL", "ftp://x"),
        ("PAPERDESK_CRITIC_THRESHOLD", "11"),
        ("PAPERDESK_SYNC_AFTER", "-1"),
        ("PAPERDESK_TIMEOUT_S", "0"),
    ],
)
def test_unusable(name: str, value: str) -> None:
    """A value that cannot be used is refused, naming variable and value."""
    with pytest.raises(SettingsError, match=f"{name} is {value!r}: expected"):
        Settings.from_env({name: value})


def test_env_example_names_every_variable() -> None:
    """`.env.example` lists exactly the variables that are read, with the defaults of the code."""
    lines = (Path(__file__).parents[2] / ".env.example").read_text().splitlines()
    example = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    assert sorted(example) == [
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "PAPERDESK_CRITIC_THRESHOLD",
        "PAPERDESK_DB",
        "PAPERDESK_EMBEDDING_MODEL",
        "PAPERDESK_MODEL",
        "PAPERDESK_SEARCH_URL",
        "PAPERDESK_SEED",
        "PAPERDESK_SYNC_AFTER",
        "PAPERDESK_TIMEOUT_S",
    ]
    assert Settings.from_env(example) == Settings()
