"""What the calls of a trial cost, at the prices that the project pins."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pytest

from tapegate.model.config import Config
from tapegate.model.trace import Exchange, Usage
from tapegate.run.cost import cost_usd, faults, named

AT = "2026-01-15T12:00:00Z"
INSTALLED = version("genai-prices")


def config(**prices: Any) -> Config:
    """A config with an OpenAI service and these prices."""
    document = {
        "version": 1,
        "paths": {"A1": {"title": "x", "status": "active", "files": ["x"], "subject": "s"}},
        "subjects": {"s": {"kind": "python", "entry": "a:b", "stream": "text"}},
        "services": {"model": {"address": "https://a.example/v1", "protocol": "openai", "base_url_env": ["A"]}},
        **({"prices": prices} if prices else {}),
    }
    return Config.model_validate(document, strict=False)


def call(model: str | None = "gpt-4o-2024-08-06", service: str = "model", **usage: Any) -> Exchange:
    """A call of a model."""
    used = Usage(**usage) if usage else None
    return Exchange(0, service, "POST", "/chat/completions", 200, 0, 1, 1, model, used)


OWN = {"models": {"mine-2026": {"input": "0.5", "output": "2", "cached_input": "0.1"}}}


@pytest.mark.parametrize(
    ("prices", "calls", "cost"),
    [
        ({"data": INSTALLED}, [call(input_tokens=1000, output_tokens=100)], "0.0035"),
        ({"data": INSTALLED}, [call(input_tokens=1000, cached_tokens=400, output_tokens=100)], "0.003"),
        ({"data": INSTALLED}, [call(input_tokens=1000, output_tokens=100)] * 2, "0.007"),
        ({"data": INSTALLED}, [call("no-such-model", input_tokens=1, output_tokens=1)], None),
        ({"data": INSTALLED}, [call(service="other", input_tokens=1, output_tokens=1)], None),
        ({"data": INSTALLED}, [call()], None),
        ({"data": INSTALLED}, [call(input_tokens=1000)], None),
        ({"data": INSTALLED}, [call(None)], None),
        ({"data": INSTALLED}, [], None),
        ({}, [call(input_tokens=1000, output_tokens=100)], None),
        (OWN, [call("mine-2026", input_tokens=10, output_tokens=1)], "0.000007"),
        (OWN, [call("mine-2026", input_tokens=10, cached_tokens=10, output_tokens=0)], "0.000001"),
        (OWN, [call("mine-2026", input_tokens=0, output_tokens=0)], "0"),
        (OWN, [call(input_tokens=1000, output_tokens=100)], None),
        ({**OWN, "data": INSTALLED}, [call("mine-2026", input_tokens=10, output_tokens=1), call(None)], "0.000007"),
    ],
)
def test_a_cost_is_the_sum_of_all_calls_or_unknown(prices, calls, cost):
    """Exact decimals; one call without a price or without usage leaves the sum unknown, and never zero."""
    assert cost_usd(config(**prices), calls, AT) == cost


def test_prices_are_named_with_their_version():
    """In results and provenance."""
    assert named(config(data="0.2.3", **OWN).prices) == "genai-prices 0.2.3, 1 of the project's own"
    assert named(None) is None


def test_other_price_data_than_the_pinned_is_refused():
    """The same commit must not cost something else on another machine."""
    assert list(faults(config(data=INSTALLED).prices)) == []
    assert list(faults(config(**OWN).prices)) == []
    ((message, fix),) = faults(config(data="0.0.1").prices)
    assert f"pinned at genai-prices 0.0.1, and {INSTALLED} is installed" in message
    assert "install genai-prices==0.0.1" in fix
