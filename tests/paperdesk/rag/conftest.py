"""What the tests of retrieval share: settings of a library with a model behind it, and answers as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.paperdesk.conftest import Ask, Heard


@pytest.fixture
def as_json(
    ask: Ask, hear: Callable[[Iterable[str]], Heard], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, Any]]:
    """Runs an agent that answers in JSON, with the scripted model behind it."""

    def run(agent: Callable[..., Iterable[str]], *arguments: str, seed: int = 42, **more: str) -> dict[str, Any]:
        monkeypatch.setenv("PAPERDESK_SEED", str(seed))
        heard = hear(agent(*arguments, **more))
        assert heard.finish["reason"] == "stop", heard.lines
        return dict(json.loads(heard.text))

    return run
