"""A cap on what a recording spends."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from tapegate.errors import NotJudged, UsageError
from tapegate.load.suite import load_suite
from tapegate.model.config import Config, ModelPrice, Prices
from tapegate.model.trace import Usage
from tapegate.run.cap import Cap
from tapegate.run.reading import exchanges, tokens
from tapegate.tape.cassette import UNANSWERED, Cassette, Chunks
from tapegate.tape.store import load

ROOT = Path(__file__).parents[2]
MODEL = "scripted-librarian-2026-11-01"


@pytest.fixture(scope="module")
def config() -> Config:
    """The shipped config, with prices pinned."""
    shipped = load_suite(ROOT, ROOT / "evals").config
    return shipped.model_copy(update={"prices": Prices(models={MODEL: ModelPrice(input="1000", output="1000")})})


@pytest.fixture(scope="module")
def cassette() -> Cassette:
    """A shipped recording of some thousand tokens."""
    return load(ROOT, "retrieval_prompt_paths", "RET-05@A1", 1).cassette


def test_nothing_more_is_recorded_once_the_cap_is_spent(config: Config, cassette: Cassette) -> None:
    """Each recording counts with what its calls cost at the pinned prices."""
    cap = Cap.of(config, "5")
    cap.allow("RET-01@A1")
    cap.charge([cassette])
    assert cap.spent == Decimal("2.682")
    cap.allow("RET-02@A1")
    cap.charge([cassette])
    with pytest.raises(NotJudged, match=r"RET-03@A1 was not recorded: \$5\.364 of \$5 are spent"):
        cap.allow("RET-03@A1")


def test_a_cap_of_nothing_lets_nothing_through(config: Config) -> None:
    """Zero is a cap too."""
    with pytest.raises(NotJudged, match="was not recorded"):
        Cap.of(config, "0").allow("RET-01@A1")


def test_what_cannot_be_reckoned_cannot_be_capped(config: Config, cassette: Cassette) -> None:
    """Without prices there is no cap, and a call without a price ends the recording."""
    with pytest.raises(UsageError, match="worth nothing"):
        Cap.of(config.model_copy(update={"prices": None}), "1")
    other = config.model_copy(update={"prices": Prices(models={"another": ModelPrice(input="1", output="1")})})
    with pytest.raises(NotJudged, match="is not known"):
        Cap.of(other, "1").charge([cassette])


def test_a_call_that_was_refused_is_free(config: Config, cassette: Cassette) -> None:
    """A provider that says 429 before the retry that it serves bills the retry alone; a call it left without any answer
    may be billed, nobody knows."""
    served = cassette.interactions[0]
    busy = replace(served, response=replace(served.response, status=429, body=b'{"error":{"message":"slow down"}}'))
    cap = Cap.of(config, "50")
    cap.charge([replace(cassette, interactions=(busy, *cassette.interactions))])
    assert cap.spent == Decimal("2.682")
    paths = ["/chat/completions"] * 2
    refused, answered = exchanges(config, replace(cassette, interactions=(busy, served)), paths, range(2))
    assert refused.usage == Usage(input_tokens=0, output_tokens=0)
    assert tokens([refused, answered]) == tokens([answered])
    silent = replace(
        served,
        response=replace(served.response, status=UNANSWERED, body=b""),
        chunks=Chunks(0, (), (), 9, "client_closed"),
    )
    with pytest.raises(NotJudged, match="is not known"):
        cap.charge([replace(cassette, interactions=(silent,))])
