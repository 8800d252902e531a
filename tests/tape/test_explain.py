"""Why no recording answers a request."""

from __future__ import annotations

import base64
import json
import random
import string
from typing import Any

import pytest

from tapegate.tape.cassette import Chunks, Interaction, Request, Response
from tapegate.tape.explain import Explainer
from tapegate.tape.wire import Asked

TURNS = [{"role": "user", "content": "How high is the tide?"}]
CALL = {"role": "assistant", "tool_calls": [{"id": "call_1", "function": {"name": "search", "arguments": "{}"}}]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "4.2 m"}
TOOL = {"type": "function", "function": {"name": "search", "description": "Searches."}}
READ = {"type": "function", "function": {"name": "read", "description": "Reads."}}


def request(turns: list[Any], *, prompt: str = "Be brief.\nCite.\nStay local.", **parameters: Any) -> bytes:
    """A chat request."""
    body = {"model": "m-1", "messages": [{"role": "system", "content": prompt}, *turns], "tools": [TOOL], **parameters}
    return json.dumps(body).encode()


def recorded(*bodies: bytes, path: str = "/chat") -> Explainer:
    """An explainer over interactions of service `model`, POST to `path`."""
    interactions = [
        Interaction(
            "model",
            Request("POST", f"https://m.example{path}", {}, body),
            Response(200, "OK", {}, b"{}"),
            Chunks(0, (2,), (1,), 1),
        )
        for body in bodies
    ]
    return Explainer(interactions, [path] * len(bodies))


def asked(body: bytes, path: str = "/chat", method: str = "POST", service: str = "model") -> Asked:
    """A request as a door saw it."""
    return Asked(service, method, path, (), body)


FIRST, SECOND = request(TURNS), request([*TURNS, CALL, RESULT])
UUIDS = ("3f2c1e5a-9d7b-4c1e-8f6a-0b1c2d3e4f5a", "00000000-1111-2222-3333-444444444444")

TABLE = [
    pytest.param(
        request(TURNS, prompt="Be brief.\nCite.\nWeb first."),
        "prompt_changed",
        ["system prompt changed", "recorded request 1", "messages[0].content", "-Stay local.", "+Web first."],
        id="prompt",
    ),
    pytest.param(request(TURNS, tools=[TOOL, READ]), "tools_changed", ["tool 'read'", "not recorded"], id="tools"),
    pytest.param(
        request(TURNS, temperature=1), "parameters_changed", ["temperature: not recorded, now 1"], id="parameters"
    ),
    pytest.param(request(TURNS, model="m-2"), "parameters_changed", ['recorded "m-1", now "m-2"'], id="model"),
    pytest.param(
        request([*TURNS, CALL, {**RESULT, "content": "9 m"}]),
        "diverged",
        ["diverged at turn 3", "recorded request 2", "message 3.content", '"4.2 m"', '"9 m"'],
        id="diverged",
    ),
    pytest.param(FIRST, "extra_call", ["extra call", "was played already"], id="extra call"),
]


@pytest.mark.parametrize(("body", "kind", "says"), TABLE)
def test_a_miss_has_a_class_and_names_what_differs(body: bytes, kind: str, says: list[str]) -> None:
    """Each kind of change gets its own class, the nearest recording and the places that differ."""
    miss = recorded(FIRST, SECOND).explain(asked(body), [True, False])
    assert miss.kind == kind
    for words in says:
        assert words in miss.explanation


def one_text(**changed: Any) -> bytes:
    """A request to OpenAI Responses whose input is a text."""
    return json.dumps({"model": "m-1", "instructions": "Be brief.", "input": "Hi", "tools": [TOOL], **changed}).encode()


@pytest.mark.parametrize(
    ("body", "kind", "says"),
    [
        (one_text(instructions="Be kind."), "prompt_changed", 'instructions: recorded "Be brief.", now "Be kind."'),
        (one_text(tools=[TOOL, READ]), "tools_changed", "tool 'read': not recorded"),
        (one_text(model="m-2"), "parameters_changed", 'model: recorded "m-1", now "m-2"'),
        (one_text(input="Ho"), "diverged", 'message 1: recorded "Hi", now "Ho"'),
    ],
)
def test_a_response_of_one_text_is_a_conversation(body: bytes, kind: str, says: str) -> None:
    """What changed of it is told as of any other request to a model."""
    miss = recorded(one_text()).explain(asked(body), [False])
    assert miss.kind == kind
    assert says in miss.explanation


def test_an_embedding_is_no_conversation() -> None:
    """Its texts are no turns: another one is another request."""
    old, new = (json.dumps({"model": "e-1", "input": ["moss", text]}).encode() for text in ("fern", "oak"))
    miss = recorded(old).explain(asked(new), [False])
    assert (miss.kind, miss.turn) == ("parameters_changed", None)
    assert 'input[1]: recorded "fern", now "oak"' in miss.explanation


def test_the_turn_of_a_divergence_is_a_number() -> None:
    """Reports can say at which turn a conversation left its recording."""
    miss = recorded(FIRST, SECOND).explain(asked(request([*TURNS, CALL, {**RESULT, "content": "9"}])), [True, False])
    assert (miss.turn, miss.nearest) == (3, 1)


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (UUIDS[0], UUIDS[1], "volatile_field"),
        ("2026-11-20T10:00:00Z", "2026-11-21T09:30:11Z", "volatile_field"),
        ("1763632800", "1763719200", "volatile_field"),
        ("req_8f2k1l0p9m3n7b6v", "req_1a2s3d4f5g6h7j8k", "volatile_field"),
        ("blue", "green", "parameters_changed"),
        (UUIDS[0], "none", "parameters_changed"),
    ],
)
def test_only_ids_and_times_are_called_volatile(old: str, new: str, kind: str) -> None:
    """A field that a person would read is never called volatile; an id is, with the advice to normalise it."""
    miss = recorded(request(TURNS, user=old)).explain(asked(request(TURNS, user=new)), [False])
    assert miss.kind == kind
    assert ("normalisers" in miss.explanation) == (kind == "volatile_field")


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (asked(FIRST, path="/embeddings"), "holds only POST /chat"),
        (asked(FIRST, method="GET"), "holds only POST /chat"),
        (asked(FIRST, service="search"), "no request to that service"),
    ],
)
def test_a_route_without_recordings_is_said_to_be_one(request_: Asked, says: str) -> None:
    """Where nothing of the kind was recorded, there is no nearest recording to be confused by."""
    miss = recorded(FIRST).explain(request_, [False])
    assert (miss.kind, miss.nearest) == ("not_recorded", None)
    assert says in miss.explanation


def test_a_changed_query_shows_both_paths() -> None:
    """A request that differs in its query is compared with the recording of the same route."""
    miss = recorded(b"", path="/search?q=tide").explain(asked(b"", path="/search?q=moon"), [False])
    assert "recorded '/search?q=tide', now '/search?q=moon'" in miss.explanation


def test_a_long_prompt_diff_is_cut() -> None:
    """An explanation stays readable when everything changed."""
    old, new = ("\n".join(f"{word} {n} " + "x" * 500 for n in range(100)) for word in ("old", "new"))
    miss = recorded(request(TURNS, prompt=old)).explain(asked(request(TURNS, prompt=new)), [False])
    assert "more lines differ" in miss.explanation
    assert len(miss.explanation) < 5_000


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"[1]", b'{"messages": 3}', b'{"messages":["x", 1, null]}'])
def test_any_body_is_explained(body: bytes) -> None:
    """Bodies that are no conversation, or a broken one, are explained too."""
    assert recorded(FIRST, body + b" ").explain(asked(body), [False, False]).explanation


KEY = "gsk_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=52))


@pytest.mark.parametrize(
    ("body", "path", "says"),
    [
        (request([{"role": "user", "content": f"my key is {KEY}"}]), "/chat", "groq_key"),
        (request([], api_key=KEY), "/chat", "groq_key"),
        (b"{}", f"/chat?key={KEY}", "groq_key"),
        (b"{}", "/chat?lang=en&key=9fKq2LmZx8Rt5Wy1Vb7N", "/chat?lang=en&key=<credential_parameter "),
        (b"{}", f"/{KEY}/send", "groq_key"),
        (b'{"basic":"' + base64.b64encode(KEY.encode()) + b'"}', "/chat", "bytes"),
    ],
    ids=["prompt", "field", "query", "parameter", "path", "base64"],
)
def test_a_key_in_a_request_is_shown_as_its_rule_and_fingerprint(body: bytes, path: str, says: str) -> None:
    """A report is read by more people than the agent's environment: whoever put a key there, it goes no further."""
    miss = recorded(request([{"role": "user", "content": "hi"}]), b"{}").explain(asked(body, path), [False, False])
    told = miss.explanation + miss.path
    assert says in told
    for secret in (KEY, base64.b64encode(KEY.encode()).decode(), "9fKq2LmZx8Rt5Wy1Vb7N"):
        assert not any(secret[at : at + 12] in told for at in range(len(secret) - 12))
