"""Ingestion: file to paper, index and summary, whatever the model replies."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paperdesk import database, ingest
from paperdesk.library import Library
from paperdesk.pages import paper_page
from paperdesk.summarizer import Form, schema

if TYPE_CHECKING:
    from conftest import Ask, Heard, Provider, Serve, Watched

JARS = """# Clay Jars for the Last Mile

By Dry Season Health Circle, 2022

## Question

Vaccines are often spoiled on the last few kilometres. Can a jar of porous clay bridge the way?

## Findings

At 38 degrees Celsius the vials stayed below 14 degrees for 19 hours. The jar needs 1.6 litres of water a day.

<private>Reader's note: partner K-17 wants to stay unnamed.</private>
"""


@pytest.fixture
def ingested(
    ask: Ask, hear: Callable[[Iterable[str]], Heard], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Heard]:
    def run(text: str, seed: int = 42, find: str = "", name: str = "jars.md") -> Heard:
        (tmp_path / name).write_text(text)
        monkeypatch.setenv("PAPERDESK_SEED", str(seed))
        return hear(ingest.ingest(str(tmp_path / name), find))

    return run


def entry(heard: Heard) -> dict[str, Any]:
    return dict(json.loads(heard.frames("0")[0]))


@pytest.mark.parametrize("seed", [42, 43])
def test_from_file_to_index(ingested: Callable[..., Heard], library_path: Path, seed: int) -> None:
    """A paper is stored whole, found by its words, and described by the model, in a fence or without."""
    heard = ingested(JARS, seed, find="porous vials")
    made = entry(heard)
    assert (made["title"], made["authors"], made["year"]) == (
        "Clay Jars for the Last Mile",
        "Dry Season Health Circle",
        2022,
    )
    assert "19 hours" in made["summary"]
    assert any("1.6 litres" in finding for finding in made["key_findings"])
    assert made["origin"] == "model"
    assert f"(/paper/{made['id']})" in heard.text
    assert heard.tools == ["ingest", "search_local"]
    assert heard.finish == {"type": "finish", "reason": "stop"}
    with closing(database.connect(library_path)) as connection:
        library = Library(connection)
        paper, summary = library.read(made["id"]), library.summary(made["id"])
        assert paper is not None
        assert paper.body == JARS.strip()
        assert library.search("porous vials")[0].id == made["id"]
        assert library.search("unnamed") == ()
        page = paper_page(paper, summary)
    assert page.count("Clay Jars for the Last Mile") == 2
    assert "In short" in page
    assert "K-17" not in "".join(heard.lines) + page


def test_the_request(ingested: Callable[..., Heard], model: Watched) -> None:
    """The model is asked for a strict schema, and is not shown the reader's private notes."""
    ingested(JARS)
    (request,) = model.requests
    form = request["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"] == {"name": "paper_summary", "strict": True, "schema": schema()}
    assert "19 hours" in request["messages"][1]["content"]
    assert "K-17" not in str(request)


def test_the_schema_is_strict() -> None:
    """Every field is required, and no other allowed, as providers want it for strict output."""
    form = schema()
    assert form["additionalProperties"] is False
    assert sorted(form["required"]) == sorted(form["properties"]) == sorted(Form.model_fields)


@pytest.mark.parametrize(
    "instruction",
    [
        "Reply in prose.",
        "Reply with nothing.",
        "Break off in the middle.",
        "Reply twice.",
        "Leave out the key findings.",
        "Leave the summary empty.",
        "Write the year in words.",
        "Write the key findings in words.",
    ],
)
def test_a_malformed_reply_falls_back(ingested: Callable[..., Heard], library_path: Path, instruction: str) -> None:
    """When the model's reply does not keep to the schema, every field is taken from the text, and none is empty."""
    made = entry(ingested(f"{JARS}\n{instruction}\n"))
    assert made["origin"] == "fallback"
    assert all(made.values())
    assert (made["title"], made["year"]) == ("Clay Jars for the Last Mile", 2022)
    assert any("19 hours" in finding for finding in made["key_findings"])
    with closing(sqlite3.connect(library_path)) as connection:
        assert connection.execute("SELECT origin FROM summaries").fetchall() == [("fallback",)]


@pytest.mark.parametrize(
    "reply",
    ["", "{}", "[]", "null", '{"title": 3}', json.dumps({**dict.fromkeys(Form.model_fields, "x"), "more": "x"})],
)
def test_replies_of_other_models(
    ingested: Callable[..., Heard],
    reply: str,
    serve: Serve,
    provider: type[Provider],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other shapes fall back as well."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(provider(provider.whole(reply)).app)}/v1")
    assert entry(ingested("Only a line of text"))["origin"] == "fallback"


@pytest.mark.parametrize("text", ["x", "<private>all of it</private>x", "日本語だけ", "# Only a heading", "1" * 3000])
def test_fallback_of_little(
    ingested: Callable[..., Heard],
    text: str,
    serve: Serve,
    provider: type[Provider],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However little there is to go by, no text field of the fallback is empty."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(provider(provider.whole('no')).app)}/v1")
    made = entry(ingested(text))
    assert all(made[name] for name in ("title", "authors", "topic", "summary", "key_findings"))
    assert "all of it" not in str(made)


def test_the_same_text_is_ingested_once(ingested: Callable[..., Heard], model: Watched) -> None:
    """A text that is there already stays as it is, and the model is not asked again."""
    first = ingested(JARS)
    again = ingested(JARS, seed=43)
    assert [frame["status"] for heard in (first, again) for frame in heard.frames("data") if "status" in frame] == [
        "stored",
        "unchanged",
    ]
    assert entry(first) == entry(again)
    assert len(model.requests) == 1


def test_a_failing_provider_stores_nothing(
    ingested: Callable[..., Heard],
    serve: Serve,
    provider: type[Provider],
    monkeypatch: pytest.MonkeyPatch,
    library_path: Path,
) -> None:
    """When the model cannot be asked, the lines say so, and the paper is not there by half."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{serve(provider(provider.refusal(500)).app)}/v1")
    heard = ingested(JARS)
    assert "status 500" in (heard.error or "")
    with closing(database.connect(library_path)) as connection:
        assert len(Library(connection).overview()) == 12


def test_files_that_cannot_be_read(
    ask: Ask, hear: Callable[[Iterable[str]], Heard], tmp_path: Path, library_path: Path
) -> None:
    """A file that cannot be read is told at the end, and the others are ingested; no file at all is an error."""
    (tmp_path / "good.txt").write_text(JARS)
    heard = hear(ingest.ingest(f"{tmp_path}/none.txt\n\n{tmp_path}/good.txt"))
    assert [result["ok"] for result in heard.results] == [False, True]
    assert heard.error == "'none.txt' cannot be read: No such file or directory"
    assert heard.finish == {"type": "finish", "reason": "error"}
    assert hear(ingest.ingest(" \n")).error == "There is no file to ingest."
    (tmp_path / "x.doc").write_text(JARS)
    two = hear(ingest.ingest(f"{tmp_path}/none.txt\n{tmp_path}/x.doc")).error
    assert two.startswith("'none.txt' cannot be read: No such file or directory; 'x.doc' is no text: ")


def test_a_search_alone_ingests_nothing(
    ask: Ask, hear: Callable[[Iterable[str]], Heard], library_path: Path, ingested: Callable[..., Heard]
) -> None:
    """What was ingested before is found by its own words; nobody asks the model."""
    paper_id = entry(ingested(JARS))["id"]
    heard = hear(ingest.ingest("", find="porous clay"))
    assert (heard.error, heard.finish) == (None, {"type": "finish", "reason": "stop"})
    assert f"(/paper/{paper_id})" in "".join(heard.frames("0"))
