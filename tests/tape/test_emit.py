"""What a cassette file looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapegate.errors import CassetteError
from tapegate.tape.cassette import Cassette
from tapegate.tape.emit import emit

GOLDEN = """\
version: 1
tapegate:
  format: 1
  key: "RET-01@A1"
  trial: 1
  provenance:
    recorder: "tapegate 0.1.0"
    recorded_at: "2026-01-31T12:00:00Z"
    commit: "0123456789abcdef0123456789abcdef01234567"
    machine: "linux-x86_64-2cpu"
    source: "scripted"
    source_kind: "scripted"
    source_description: "rules, no model"
  stream:
    dialect: "mixed"
    body: |
      0:"Ada"
      d:{"finishReason":"stop"}
    chunks: {"started_us": 900, "sizes": [8, 26], "at_us": [5000, 9000], "ended_us": 9100, "ended": "eof"}
interactions:
- request:
    method: "POST"
    uri: "https://api.openai.com/v1/chat/completions"
    headers:
      "content-type": ["application/json"]
    body: |-
      {"model":"scripted-1","stream":true,"temperature":0,"messages":[{"role":"system","content":"Read local papers first."},{"role":"user","content":"Who?"}],"tools":[{"type":"function","function":{"name":"search_local"}}]}
  response:
    status:
      code: 200
      message: "OK"
    headers:
      "content-type": ["text/event-stream"]
      "set-cookie": ["a=1", "b=2"]
    body:
      string: |+
        data: {"model":"scripted-1-2026","system_fingerprint":"fp_7","choices":[{"delta":{"content":"Ada"}}]}

        data: [DONE]

  service: "openai"
  chunks: {"started_us": 1000, "sizes": [103, 14], "at_us": [3000, 4500], "ended_us": 4600, "ended": "eof"}
  redacted: false
- request:
    method: "GET"
    uri: "https://search.example/?q=ada"
    headers: {}
    body: ""
  response:
    status:
      code: 200
      message: "OK"
    headers:
      "content-type": ["image/png"]
    body:
      string: !!binary |
        iVBORw0KGgoA/w==
  service: "search"
  chunks: {"started_us": 5000, "sizes": [10], "at_us": [6000], "ended_us": 6100, "ended": "client_closed"}
  redacted: true
"""  # noqa: E501


def test_a_cassette_reads_well(example: Cassette) -> None:
    """The layout is fixed: bodies are blocks, a header takes a line, chunks and times take one."""
    assert emit(example).decode() == GOLDEN


def test_no_calls_are_an_empty_list(example: Cassette) -> None:
    """An agent may answer without calling anybody: the file says so."""
    assert emit(replace(example, interactions=())).endswith(b"\ninteractions: []\n")


@pytest.mark.parametrize(
    ("body", "written"),
    [
        pytest.param(b"", b'string: ""\n', id="empty"),
        pytest.param(b"one", b"string: |-\n        one\n", id="no newline at the end"),
        pytest.param(b"one\n", b"string: |\n        one\n", id="one newline at the end"),
        pytest.param(b"one\n\n\n", b"string: |+\n        one\n\n\n", id="more newlines at the end"),
        pytest.param(b"a\n\n  b\n   ", b"string: |-\n        a\n\n          b\n           \n", id="spaces are content"),
        pytest.param(b" one\ntwo", b'string: " one\\n\\\n        two"\n', id="a leading space"),
        pytest.param(b"\ttab", b'string: "\\ttab"\n', id="a leading tab"),
        pytest.param(
            b"data: 1\r\n\r\n data: 2\r\n",
            b'string: "data: 1\\r\\n\\\n        \\r\\n\\\n        \\u0020data: 2\\r\\n"\n',
            id="CRLF, a line of the body a line of the file",
        ),
        pytest.param("a\u2028\x7f".encode(), b'string: "a\\u2028\\u007f"\n', id="line separator and DEL"),
        pytest.param("😀".encode(), "string: |-\n        😀\n".encode(), id="emoji"),
        pytest.param(b"\xff", b"string: !!binary |\n        /w==\n", id="not UTF-8"),
    ],
)
def test_a_body_takes_the_plainest_form_that_holds_it(
    body: bytes, written: bytes, with_answer: Callable[..., Cassette]
) -> None:
    """A block where a block is exact, else a JSON string continued by line, else base64."""
    assert written in emit(with_answer(body))


def test_text_that_no_file_can_hold_is_refused(example: Cassette) -> None:
    """A lone surrogate has no UTF-8 form: the error names the text."""
    broken = replace(example, provenance=replace(example.provenance, machine="\ud800"))
    with pytest.raises(CassetteError, match=r"not_text: '\\ud800'"):
        emit(broken)


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_cassette_is_standard_yaml(
    data: st.DataObject,
    cassettes: st.SearchStrategy[Cassette],
    as_yaml: Callable[[Cassette], Any],
    bodies_as_bytes: Callable[[Any], Any],
) -> None:
    """Both of PyYAML's parsers read back exactly what was written, whatever headers and bodies hold."""
    cassette = data.draw(cassettes)
    raw = emit(cassette)
    for loader in (yaml.CSafeLoader, yaml.SafeLoader):
        assert as_yaml(cassette) == bodies_as_bytes(yaml.load(raw, Loader=loader))


def test_a_header_name_too_long_for_one_line_is_an_explicit_key(
    with_answer: Callable[..., Cassette], as_yaml: Callable[[Cassette], Any], bodies_as_bytes: Callable[[Any], Any]
) -> None:
    """YAML looks for a key's colon within 1,024 characters: beyond that the key is marked with `?`."""
    cassette = with_answer(b"", {"x" * 2000: ("1",)}, sizes=(), at_us=())
    assert as_yaml(cassette) == bodies_as_bytes(yaml.load(emit(cassette), Loader=yaml.CSafeLoader))
