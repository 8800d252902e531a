"""The canonical form of request bodies."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapegate.model.normaliser import Normaliser
from tapegate.tape.canonical import canonical, load, rules_of

RULES = rules_of([Normaliser(service="model", path="messages[*].id", reason="random")], "model")

UPLOAD = (
    b'--%(b)b\r\nContent-Disposition: form-data; name="model"\r\n\r\nm-1\r\n'
    b'--%(b)b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
    b"Ada --b0a1\r\n--b0a1x\r\n--%(b)b--\r\n"
)
"""The text of its file holds what looks like a boundary."""
SAME = [
    pytest.param(b'{"a":1,"b":2}', b'{ "b": 2,\n "a": 1 }', id="white space and key order"),
    pytest.param(b'{"a":"\\u00e9"}', '{"a":"é"}'.encode(), id="escapes"),
    pytest.param(b"[1,2]", b" [1, 2]", id="leading space"),
]
SAME.append(pytest.param(UPLOAD % {b"b": b"b0a1"}, UPLOAD % {b"b": b"----form-c2.+"}, id="boundary of an upload"))
OTHER = [
    pytest.param(b'{"a":1}', b'{"a":1.0}', id="another spelling of a number"),
    pytest.param(b'{"a":1}', b'{"a":"1"}', id="a number and its text"),
    pytest.param(b'{"a":1}', b'{"a":true}', id="one and true"),
    pytest.param(b'{"a":18446744073709551616}', b'{"a":18446744073709551617}', id="integers past 64 bits"),
    pytest.param(b'{"a":null}', b"{}", id="null and absent"),
    pytest.param(b"[1,2]", b"[2,1]", id="order of a list"),
    pytest.param(b'{"a":1,"a":2}', b'{"a":2}', id="a duplicate key hides nothing"),
    pytest.param(b"plain", b" plain", id="not JSON"),
    pytest.param(UPLOAD % {b"b": b"x"}, (UPLOAD % {b"b": b"x"}).replace(b"Ada", b"Bob"), id="another upload"),
    pytest.param(b"--x\r\n\r\na\r\n--x--x", b"--y\r\n\r\na\r\n--y--y", id="no end of a multipart body"),
]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_spelling_does_not_matter(one: bytes, two: bytes) -> None:
    """Two spellings of the same JSON have the same canonical form."""
    assert canonical(one) == canonical(two)


@pytest.mark.parametrize(("one", "two"), OTHER)
def test_meaning_matters(one: bytes, two: bytes) -> None:
    """Bodies that a provider could tell apart have different canonical forms."""
    assert canonical(one) != canonical(two)


def test_a_volatile_field_is_numbered_not_dropped() -> None:
    """Ids may change, but which of them are equal may not."""
    pair = b'{"messages":[{"id":"%s"},{"id":"%s"}]}'
    assert canonical(pair % (b"x1", b"x2"), RULES) == canonical(pair % (b"y7", b"y8"), RULES)
    assert canonical(pair % (b"x1", b"x1"), RULES) != canonical(pair % (b"y7", b"y8"), RULES)
    assert canonical(b'{"messages":[{}]}', RULES) != canonical(b'{"messages":[{"id":"x"}]}', RULES)


def test_a_result_under_the_id_of_another_call_is_another_request() -> None:
    """Ids in fields of two rules are counted together: which result answers which call is not volatile."""
    rules = rules_of(
        [
            Normaliser(service="model", path="messages[*].tool_calls[*].id", reason="r"),
            Normaliser(service="model", path="messages[*].tool_call_id", reason="r"),
        ],
        "model",
    )
    turns = b'{"messages":[{"tool_calls":[{"id":"%s"},{"id":"%s"}]},{"tool_call_id":"%s"},{"tool_call_id":"%s"}]}'
    recorded = canonical(turns % (b"a", b"b", b"a", b"b"), rules)
    assert recorded == canonical(turns % (b"x", b"y", b"x", b"y"), rules)
    assert recorded != canonical(turns % (b"x", b"y", b"y", b"x"), rules)
    assert recorded != canonical(turns % (b"x", b"y", b"z", b"w"), rules)


def test_a_rule_reaches_only_its_own_service() -> None:
    """A normaliser of one service leaves the requests of another alone."""
    assert rules_of([Normaliser(service="model", path="a", reason="r")], "search") == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_any_json_object_keeps_its_canonical_form_when_it_is_written_again(value: dict[str, object]) -> None:
    """Indenting and re-ordering any document changes nothing, and the form is a fixed point of itself."""
    body = json.dumps(value).encode()
    again = json.dumps(dict(reversed(value.items())), indent=3, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if load(again) is not None:
        assert canonical(body) == canonical(again)


@given(st.binary(max_size=200))
def test_any_bytes_have_a_canonical_form(body: bytes) -> None:
    """No body, however broken, raises."""
    assert isinstance(canonical(body, RULES), bytes)


def test_deep_nesting_is_matched_by_its_bytes() -> None:
    """A document too deep to walk is its own canonical form."""
    body = b"[" * 100_000
    assert canonical(body) == body
