"""How much a recording may spend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from tapegate.errors import NotJudged, UsageError
from tapegate.model.config import Config
from tapegate.run.cost import cost_usd
from tapegate.run.reading import exchanges
from tapegate.tape.cassette import Cassette
from tapegate.tape.player import recorded_paths
from tapegate.tape.routes import Routes


@dataclass(slots=True)
class Cap:
    """A limit in US dollars, looked at before each task: the last one may exceed it by what it alone costs."""

    config: Config
    limit: Decimal
    spent: Decimal = Decimal(0)

    @classmethod
    def of(cls, config: Config, limit: str) -> Cap:
        """Raises UsageError `no_prices` where the project pins none: what nobody can reckon cannot be capped."""
        if config.prices is None:
            raise UsageError.of(
                "no_prices",
                f"a cap of ${limit} is worth nothing where the price of a call is not known",
                fix="pin prices in evals/tapegate.yaml: `prices: {data: …}`, or `models` with prices of your own",
            )
        return cls(config, Decimal(limit))

    def allow(self, what: str) -> None:
        """Raises NotJudged `cap_reached` where nothing is left for `what`."""
        if self.spent >= self.limit:
            raise NotJudged.of(
                "cap_reached",
                f"{what} was not recorded: ${self.spent:f} of ${self.limit:f} are spent",
                fix="keep what was recorded, and record the rest with another cap",
            )

    def charge(self, made: Iterable[Cassette]) -> None:
        """Count what recordings cost. Raises NotJudged `unknown_cost` where that is not known."""
        for cassette in made:
            paths = recorded_paths(cassette, Routes.of(self.config.services, {}))
            calls = exchanges(self.config, cassette, paths, range(len(paths)))
            if not any(call.model is not None for call in calls):
                continue
            cost = cost_usd(self.config, calls, cassette.provenance.recorded_at)
            if cost is None:
                raise NotJudged.of(
                    "unknown_cost",
                    f"what {cassette.key} cost is not known, so that no cap can be kept; nothing more was recorded",
                    fix="pin the price of its model in evals/tapegate.yaml, under `prices.models`",
                )
            self.spent += Decimal(cost)
