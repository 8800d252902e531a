"""What the calls of a trial cost, at the prices that the project pins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from tapegate.model.config import Config, ModelPrice, Prices
from tapegate.model.trace import Exchange, Usage

PACKAGE = "genai-prices"
_PROVIDERS: Mapping[str, str] = {
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "google",
    "mistral": "mistral",
    "bedrock": "aws",
}
"""By the protocol of a service, whose prices hold for it."""
_MILLION = Decimal(1_000_000)


def cost_usd(config: Config, played: Iterable[Exchange], recorded_at: str) -> str | None:
    """The price of all calls of models, as an exact decimal; None where one has none that is known, or none is pinned.

    `recorded_at` is when they were made: prices change, and a recording keeps those of its day.
    """
    prices = config.prices
    calls = [exchange for exchange in played if exchange.model is not None]
    if prices is None or not calls:
        return None
    costs = [_cost(config, prices, call, recorded_at) for call in calls]
    known = [cost for cost in costs if cost is not None]
    return _plain(sum(known, Decimal(0))) if len(known) == len(costs) else None


def named(prices: Prices | None) -> str | None:
    """What a report calls the prices; None where none are pinned."""
    if prices is None:
        return None
    data = [f"{PACKAGE} {prices.data}"] if prices.data is not None else []
    own = [f"{len(prices.models)} of the project's own"] if prices.models else []
    return ", ".join([*data, *own])


def faults(prices: Prices | None) -> Iterator[tuple[str, str]]:
    """Why the pinned price data cannot be used here, with what mends it."""
    if prices is None or prices.data is None:
        return
    try:
        installed = version(PACKAGE)
    except PackageNotFoundError:
        installed = "none"
    if installed != prices.data:
        message = (
            f"the price data is pinned at {PACKAGE} {prices.data}, and {installed} is installed: costs would differ"
        )
        yield message, f"install {PACKAGE}=={prices.data}, or pin {installed} and look at what changes"


def _cost(config: Config, prices: Prices, call: Exchange, recorded_at: str) -> Decimal | None:
    usage = call.usage
    if call.model is None or usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    if usage.input_tokens == usage.output_tokens == 0:
        return Decimal(0)  # at any price
    own = prices.models.get(call.model)
    if own is not None:
        return _by(own, usage)
    service = config.services.get(call.service)
    provider = _PROVIDERS.get(service.protocol) if service is not None else None
    if prices.data is None or provider is None:
        return None
    return _listed(provider, call.model, usage, recorded_at)


def _by(price: ModelPrice, usage: Usage) -> Decimal:
    assert usage.input_tokens is not None
    assert usage.output_tokens is not None
    cached = min(usage.cached_tokens or 0, usage.input_tokens)
    of_cache = Decimal(price.cached_input) if price.cached_input is not None else Decimal(price.input)
    read = (usage.input_tokens - cached) * Decimal(price.input) + cached * of_cache
    return (read + usage.output_tokens * Decimal(price.output)) / _MILLION


@lru_cache(maxsize=4096)
def _listed(provider: str, model: str, usage: Usage, recorded_at: str) -> Decimal | None:
    """The price by the pinned data. Loaded late: it takes half a second, and most runs pin none."""
    from genai_prices import Usage as Used
    from genai_prices import calc_price

    used = Used(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    at = datetime.fromisoformat(recorded_at)
    try:
        return calc_price(used, model, provider_id=provider, genai_request_timestamp=at).total_price
    except (LookupError, ValueError):
        return None


def _plain(cost: Decimal) -> str:
    """`0.0151`: without an exponent, and without zeros at its end."""
    text = f"{cost:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
