"""The replay environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapegate.doors.guard.proxies import PROXIES
from tapegate.model.service import Service
from tapegate.subject.environment import FIXED, PASSED, environment

HARNESS = {
    "PATH": "/usr/bin",
    "HOME": "/home/me",
    "TZ": "Pacific/Kiritimati",
    "LC_ALL": "tr_TR.UTF-8",
    "PYTHONPATH": "/harness",
    "VIRTUAL_ENV": "/harness/.venv",
    "PYTHONHASHSEED": "5",
    "OPENAI_API_KEY": "sk-real",
    "GITHUB_TOKEN": "ghs_real",
    "HTTPS_PROXY": "http://corporate:3128",
    "CI": "true",
}
SERVICES = {
    "openai": Service(address="https://api.openai.com/v1", base_url_env=("OPENAI_BASE_URL",), key_env="OPENAI_API_KEY"),
    "search": Service(address="https://search.example", base_url_env=("SEARCH_URL", "SEARCH_BASE")),
}
URLS = {"openai": "http://127.0.0.1:1/lane/openai", "search": "http://127.0.0.1:1/lane/search"}


def made(level="namespace", secrets=()):
    return environment(HARNESS, workspace=Path("/trial"), services=SERVICES, urls=URLS, secrets=secrets, level=level)


def test_the_environment_is_this_and_nothing_else():
    """What is fixed, where programs are found, where services are, and marks in place of keys."""
    assert made(secrets=("DB_PASSWORD",)) == {
        **FIXED,
        "PATH": "/usr/bin",
        "HOME": "/trial",
        "OPENAI_BASE_URL": "http://127.0.0.1:1/lane/openai",
        "OPENAI_API_KEY": "REDACTED_OPENAI_API_KEY",
        "SEARCH_URL": "http://127.0.0.1:1/lane/search",
        "SEARCH_BASE": "http://127.0.0.1:1/lane/search",
        "DB_PASSWORD": "REDACTED_DB_PASSWORD",
    }


def test_two_machines_differ_only_where_programs_are_found():
    """A harness with another locale, time zone and hash seed gives the subject the same environment."""
    other = environment({"PATH": "/usr/bin"}, workspace=Path("/trial"), services=SERVICES, urls=URLS, level="namespace")
    assert other == made()


@pytest.mark.parametrize(("level", "proxies"), [("none", PROXIES), ("in_process", {}), ("namespace", {})])
def test_proxies_lead_nowhere_where_nothing_stronger_guards(level, proxies):
    """A stronger guard tells the name that was meant, which a proxy would hide; the harness's proxy never passes."""
    assert {name: text for name, text in made(level).items() if "PROXY" in name.upper()} == proxies


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "PYTHONPATH", "VIRTUAL_ENV", "HTTPS_PROXY", "HOME", "CI"])
def test_what_would_carry_a_secret_or_the_machine_is_not_passed(name):
    """The allow-list holds no key, no proxy, nothing of the harness's own interpreter."""
    assert name not in PASSED
