"""The agent loop, with providers of every kind behind the real service code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from starlette.responses import Response

from paperdesk.settings import Settings

if TYPE_CHECKING:
    from conftest import Ask, AskProvider, Provider, Watched


def test_request(ask: Ask, model: Watched) -> None:
    """Each request carries the pinned generation parameters and the seed, and asks for usage."""
    ask("How wide are the cracks that Mendel-Z can close?", seed=7)
    for request in model.requests:
        assert {key: request[key] for key in ("seed", "temperature", "top_p", "max_tokens", "stream")} == {
            "seed": 7,
            "temperature": 0,
            "top_p": 1,
            "max_tokens": 1024,
            "stream": True,
        }
        assert request["stream_options"] == {"include_usage": True}
        assert request["model"] == "scripted-librarian-2026-11-01"


def test_same_question_same_requests(ask: Ask, model: Watched, library_path: Any) -> None:
    """Asked again, in a new session, the same question makes the same requests and the same lines."""
    lines = [ask("What did snails do to the kelp ropes?").lines]
    first = list(model.requests)
    model.requests.clear()
    lines.append(ask("What did snails do to the kelp ropes?").lines)
    assert model.requests == first
    assert lines[0][1:-1] == lines[1][1:-1]


def test_calls_of_one_round_in_order(ask_provider: AskProvider, provider: type[Provider]) -> None:
    """Several calls in one completion run in the model's order, each shown before it runs and after."""
    model = provider(
        [
            provider.called("read_paper", '{"paper_id":"p-kelp-06"}', index=0, call_id="a"),
            provider.called("search_local", '{"query":"kelp"}', index=1, call_id="b"),
        ],
        [provider.said("Done.")],
    )
    heard = ask_provider(model)
    assert [(frame["type"], frame["id"], frame["name"]) for frame in heard.frames("d")] == [
        ("tool_call", "call_1", "read_paper"),
        ("tool_result", "call_1", "read_paper"),
        ("tool_call", "call_2", "search_local"),
        ("tool_result", "call_2", "search_local"),
    ]
    assert [message.get("tool_call_id") for message in model.requests[1]["messages"][-3:]] == [None, "a", "b"]
    assert heard.text == "Done."
    assert heard.finish["reason"] == "stop"


def test_split_call(ask_provider: AskProvider, provider: type[Provider]) -> None:
    """A call whose arguments arrive in pieces, as they do, is put together."""
    pieces: list[dict[str, Any]] = [provider.called("Skill__knowledge__paper__read", "")]
    pieces += [
        {"tool_calls": [{"index": 0, "function": {"arguments": part}}]} for part in ('{"paper', '_id":"p-', 'rice-09"}')
    ]
    heard = ask_provider(provider(pieces, [provider.said("x")]))
    assert heard.tools == ["Skill:knowledge.paper.read"]
    assert heard.results[0]["ok"]


@pytest.mark.parametrize("arguments", ["{", "[]", '"x"', "{} {}", '{"paper_id": 1}', ""])
def test_bad_arguments(ask_provider: AskProvider, arguments: str, provider: type[Provider]) -> None:
    """Arguments that cannot be used are answered with an error that the model reads, and the turn goes on."""
    model = provider([provider.called("read_paper", arguments)], [provider.said("I see.")])
    heard = ask_provider(model)
    assert [result["ok"] for result in heard.results] == [False]
    assert "read_paper needs a JSON object" in model.requests[1]["messages"][-1]["content"]
    assert heard.text == "I see."


def test_unknown_tool(ask_provider: AskProvider, provider: type[Provider]) -> None:
    """A tool that is not offered is refused under the name that the model used."""
    heard = ask_provider(provider([provider.called("rm_rf", "{}")], [provider.said("Oh.")]))
    assert heard.tools == ["rm_rf"]
    assert "There is no tool 'rm_rf'" in heard.results[0]["content"]["error"]


def test_rounds_are_bounded(ask_provider: AskProvider, provider: type[Provider]) -> None:
    """A model that never stops calling is made to answer; if it calls still, the turn ends with an error."""
    model = provider([provider.called("search_local", '{"query":"kelp"}')])
    heard = ask_provider(model)
    assert len(model.requests) == Settings().tool_rounds + 1
    assert [request["tool_choice"] for request in model.requests[-2:]] == ["auto", "none"]
    assert heard.tools == ["search_local"] * Settings().tool_rounds
    assert heard.finish == {"type": "finish", "reason": "error"}


def test_thoughts_go_back_to_the_model_only(ask_provider: AskProvider, provider: type[Provider]) -> None:
    """Within a turn the model gets its own hidden thoughts back; the user never sees them."""
    call = provider.called("search_local", '{"query":"kelp"}')
    model = provider(
        [provider.said("<thinking>plan</thin"), provider.said("king>"), call],
        [provider.said("Kelp <priv"), provider.said("ate>x</private>it is.")],
    )
    heard = ask_provider(model)
    assert model.requests[1]["messages"][-2]["content"] == "<thinking>plan</thinking>"
    assert heard.text == "Kelp it is."
    assert "plan" not in "".join(heard.lines)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (424, "could not answer (status 424)"),
        (500, "could not answer (status 500)"),
        (401, "did not accept the key (status 401)"),
        (429, "quota"),
        (Response("<html>", media_type="text/html"), "broke off"),
        (b"", "broke off"),
        (b"data: {not json}\n\n", "broke off"),
        (b'data: {"error": {"message": "overloaded"}}\n\n', "broke off with an error"),
        (b"data: [DONE]\n\n", "broke off"),
        (b"data: 3\n\n", "broke off"),
        (b'data: {"id":"c","choices":[{"index":0,"delta":null}]}\n\n', "broke off"),
    ],
)
def test_provider_fails(ask_provider: AskProvider, answer: Any, sentence: str, provider: type[Provider]) -> None:
    """Whatever a provider does wrong ends in one sentence and a finish, asked once, without a trace of code."""
    model = provider(provider.refusal(answer) if isinstance(answer, int) else answer)
    heard = ask_provider(model)
    assert sentence in (heard.error or "")
    assert heard.finish == {"type": "finish", "reason": "error"}
    assert len(model.requests) == 1
    assert not any(word in str(heard.error) for word in ("127.0.0.1", "Traceback", "Error("))


def test_provider_breaks_off_in_the_middle(ask_provider: AskProvider, provider: type[Provider]) -> None:
    """What was streamed before the break stays, then comes the error."""
    heard = ask_provider(provider([provider.said("Half an ans")], finish=None))
    assert heard.text == "Half an ans"
    assert "broke off" in (heard.error or "")


def test_provider_is_down(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that cannot be reached is said in one sentence."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    heard = ask("Anything?")
    assert heard.error == "The model could not be reached. Please check OPENAI_BASE_URL."
    assert heard.finish == {"type": "finish", "reason": "error"}


def test_no_key(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a key the answer says which variable to set."""
    monkeypatch.delenv("OPENAI_API_KEY")
    assert "OPENAI_API_KEY" in (ask("Anything?").error or "")


def test_everything_hidden(ask_provider: AskProvider, provider: type[Provider]) -> None:
    """An answer that is hidden from beginning to end is an error, not an empty success."""
    heard = ask_provider(provider([provider.said("<thinking>never closed. The answer is 4.")]))
    assert heard.text == ""
    assert "nothing to show" in (heard.error or "")


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_finish_reason(ask_provider: AskProvider, reason: str, provider: type[Provider]) -> None:
    """Why the model stopped is passed on."""
    assert ask_provider(provider([provider.said("Long")], finish=reason)).finish["reason"] == reason


def test_odd_characters(ask_provider: AskProvider, provider: type[Provider]) -> None:
    """Emoji, line separators and half a surrogate pair arrive without breaking a line."""
    heard = ask_provider(
        provider([provider.said("🙂\u2028\u0085"), {"content": json.loads('"\\ud83d"')}, provider.said("end")])
    )
    assert heard.text == "🙂\u2028\u0085?end"


def test_web_search_down(ask_provider: AskProvider, monkeypatch: pytest.MonkeyPatch, provider: type[Provider]) -> None:
    """A web search that fails is told to the model, and the turn goes on."""
    model = provider([provider.called("web_search", '{"query":"x"}')], [provider.said("No web today.")])
    monkeypatch.setenv("PAPERDESK_SEARCH_URL", "http://127.0.0.1:9")
    heard = ask_provider(model)
    assert heard.results[0]["content"] == {"error": "The web search could not be reached."}
    assert heard.text == "No web today."
