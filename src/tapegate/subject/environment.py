"""The replay environment: all that a subject's process sees in its environment variables.

Nothing is inherited but what a program needs to start at all (`PASSED`): an allow-list, so that a key that lies in the
harness's environment reaches no subject, and so that two machines differ in little. The rest is fixed (`FIXED`), or
says where the trial stands:

- `HOME` is the trial's workspace: no dot file of the user, with its keys and its settings, takes part;
- every base-URL variable of a service holds where the subject reaches that service;
- every key variable holds the mark that redaction writes in its place, `REDACTED_<name>`;
- then come the subject's own variables, which may replace any of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tapegate.doors.guard.levels import Level
from tapegate.doors.guard.proxies import PROXIES
from tapegate.model.service import Service
from tapegate.tape.secrets.value import mark as mark  # noqa: PLC0414  the same word for who starts a subject

PASSED = (
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "PYENV_ROOT",
    "NVM_DIR",
    "JAVA_HOME",
    "GOROOT",
    "CARGO_HOME",
    "RUSTUP_HOME",
)
"""Taken over from the harness's environment where they are set: where programs and their parts are found."""

FIXED: Mapping[str, str] = {
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "SOURCE_DATE_EPOCH": "1767225600",  # 2026-01-01T00:00:00Z
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "PYTHONUNBUFFERED": "1",
    # Bytecode is found by the second of the source's time and its size: a fast edit could run the old code.
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""The same in every run on every machine."""


def environment(
    inherited: Mapping[str, str],
    *,
    workspace: Path,
    services: Mapping[str, Service],
    urls: Mapping[str, str],
    secrets: Iterable[str] = (),
    level: Level = "none",
) -> dict[str, str]:
    """The environment of one trial's subject, before the subject's own variables.

    `inherited` is the harness's environment; `urls` gives for each service where the subject reaches it; `secrets` are
    variables beside the services' keys that hold their mark. Where nothing stronger guards the subject, proxy variables
    lead to a port where nobody listens; beside a stronger guard they would only hide the name that was meant.
    """
    made = {name: inherited[name] for name in PASSED if name in inherited}
    made |= FIXED
    made["HOME"] = str(workspace)
    if level == "none":
        made |= PROXIES
    for name in secrets:
        made[name] = mark(name)
    for name, service in services.items():
        made |= dict.fromkeys(service.base_url_env, urls[name])
        if service.key_env is not None:
            made[service.key_env] = mark(service.key_env)
    return made
