"""The config: references, templates and names that would collide, each told at its line."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.load.config import read_config
from tapegate.load.document import Document
from tapegate.load.reader import parse_document
from tapegate.load.yaml_text import compose

Read = Callable[..., Document]

FULL = """\
version: 1
paths:
  A1: {title: Chat, status: active, files: ["src/*.py"], subject: desk}
subjects:
  desk:
    kind: http
    command: ["{python}", serve, "{port}"]
    ask: {path: "/chat?seed={seed}", headers: {x: "{seed}"}, json: {message: "{input}", plain: '{"a": {1}}'}}
    stream: text
    env: {DB: "{db}", HOME_DIR: "{workspace}", ROOT: "{project}"}
  inner:
    kind: python
    entry: agent:answer
    arguments: {question: "{input}"}
    stream: text
services:
  model: {address: "https://m.example/v1", base_url_env: [MODEL_URL], key_env: MODEL_KEY}
  search: {address: "https://s.example", base_url_env: [SEARCH_URL]}
sources:
  rules:
    kind: scripted
    description: rules
    stand_ins:
      model: {command: ["{python}", model, "{port}"]}
normalisers:
  - {service: model, path: "messages[*].tool_call_id", reason: generated}
"""


WHOLE = compose(FULL, "x.yaml").value
WORDS = st.sampled_from(["", "desk", "model", "{port}", "{x}", "..", "/", "\0", "kind", "http", "*", "0"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


def test_a_full_config_loads(read: Read) -> None:
    """Every kind of entry at once, with braces in a template that are no placeholder."""
    config, problems = read_config(read(FULL))
    assert problems == []
    assert config is not None
    assert config.subjects["desk"].kind == "http"
    assert config.subjects["inner"].kind == "python"


@pytest.mark.parametrize(
    ("old", "new", "line", "code", "message", "fix"),
    [
        ("version: 1", "version: 2", 1, "unknown_value", "is 2", "known: 1"),
        ("version: 1", "version: true", 1, "wrong_type", "is True", "version: 1"),
        ("version: 1", "version: 1.0", 1, "wrong_type", "is 1.0", "version: 1"),
        ("subject: desk", "subject: desk1", 3, "unknown_subject", "'paths.A1.subject'", "did you mean 'desk'?"),
        ('["src/*.py"]', "[]", 3, "too_few", "'paths.A1.files'", "Paths or globs"),
        ('["src/*.py"]', "[../x.py]", 3, "path_escape", "'../x.py'", "from the project's root"),
        ('["src/*.py"]', "[/etc/passwd]", 3, "path_escape", "'/etc/passwd'", "from the project's root"),
        ("kind: http", "kind: htpp", 6, "unknown_value", "'subjects.desk.kind'", "did you mean 'http'?"),
        ("    kind: http\n", "", 5, "missing_key", "'subjects.desk' lacks the key 'kind'", "http or python"),
        ('serve, "{port}"', '"{prot}"', 7, "unknown_placeholder", "{prot}", "did you mean 'port'?"),
        (
            "/chat?seed={seed}",
            "/chat?key={key}",
            8,
            "unknown_placeholder",
            "'subjects.desk.ask.path'",
            "known: clock, db, input",
        ),
        ('{x: "{seed}"}', '{x: "{sead}"}', 8, "unknown_placeholder", "ask.headers.x", "did you mean 'seed'?"),
        ('"{input}", plain', '"{imput}", plain', 8, "unknown_placeholder", "ask.json.message", "did you mean 'input'?"),
        ("ask: {path", "ask: {pth: x, path", 8, "unknown_key", "'pth'", "did you mean 'path'?"),
        ("stream: text\n    env", "strem: text\n    env", 5, "missing_key", "'stream'", "Dialect"),
        ('DB: "{db}"', 'MODEL_URL: "{db}"', 10, "reserved_variable", "service 'model'", "remove it"),
        ('DB: "{db}"', 'MODEL_KEY: "x"', 10, "reserved_variable", "service 'model'", "remove it"),
        ('DB: "{db}"', '1DB: "x"', 10, "bad_value", "the key '1DB' of 'subjects.desk.env'", ""),
        ("entry: agent:answer", "entry: agent", 13, "bad_value", "'agent'", "module:callable"),
        (
            'question: "{input}"',
            'question: "{port}"',
            14,
            "unknown_placeholder",
            "{port}",
            "known: byte_chunks, chunks",
        ),
        ("sources:\n", "default_source: rule\nsources:\n", 19, "unknown_source", "'rule'", "did you mean 'rules'?"),
        ("subject: desk", "subject: desk, inventory: A7", 3, "unknown_value", "'A7'", "known: A1, A2"),
        ("s.example", "me:pw@s.example", 18, "credentials_in_address", "'services.search.address'", "key_env"),
        ("[SEARCH_URL]}", "[SEARCH_URL], address: x}", 18, "duplicate_key", "'address'", "keep one"),
        ("model: {command", "model: {path: v1, command", 24, "bad_value", "'v1'", "write /v1"),
        ("model: {command", "model: {path: '/v1?x', command", 24, "bad_value", "'/v1?x'", "write /v1"),
        ("https://s.example", "ftp://s.example", 18, "bad_value", "'ftp://s.example'", "recordings name"),
        ("https://s.example", "https://m.example/v1/", 18, "ambiguous_service", "service 'model'", "of its own"),
        ("[SEARCH_URL]", "[MODEL_URL]", 18, "ambiguous_service", "service 'model'", "of its own"),
        ("      model: {command", "      modle: {command", 24, "unknown_service", "'modle'", "did you mean 'model'?"),
        ('model, "{port}"', '"{input}"', 24, "unknown_placeholder", "{input}", "known: port, project, python"),
        (
            "{service: model",
            "{service: modl",
            26,
            "unknown_service",
            "'normalisers[0].service'",
            "did you mean 'model'?",
        ),
    ],
)
def test_a_wrong_entry_is_told_with_its_fix(
    old: str, new: str, line: int, code: str, message: str, fix: str, read: Read
) -> None:
    """Each rule has its code; the message names the entry, the fix what to write, the line where."""
    assert old in FULL
    config, problems = read_config(read(FULL.replace(old, new)))
    assert config is None
    problem = next(problem for problem in problems if problem.code == code)
    assert problem.line == line
    assert message in problem.message
    assert fix in (problem.fix or "")


def test_a_type_that_is_wrong_hides_nothing_elsewhere(read: Read) -> None:
    """References and templates are checked also where another entry has the wrong type."""
    text = (
        FULL.replace("subject: desk", "subject: nobody")
        .replace("stream: text\n    env", "stream: 3\n    env")
        .replace("{seed}", "{sead}")
    )
    _, problems = read_config(read(text))
    assert sorted(problem.code for problem in problems) == [
        "unknown_placeholder",
        "unknown_placeholder",
        "unknown_subject",
        "wrong_type",
    ]


def test_a_refused_address_shows_no_password(read: Read) -> None:
    """What stands in an address may be a secret: the message names the entry, not the value."""
    _, problems = read_config(read(FULL.replace("s.example", "me:hunter2@s.example")))
    assert "hunter2" not in str(problems)


@pytest.mark.parametrize(
    "text", ["[]", "3", "paths: 3\nsubjects: [1]\nservices: {a: 1}\nversion: 1\nsources: {a: {stand_ins: 3}}\n"]
)
def test_no_shape_of_document_breaks_the_rules(text: str, read: Read) -> None:
    """Whatever a file nests, the rules pass over it and the model tells what is wrong."""
    config, problems = read_config(read(text))
    assert config is None
    assert {problem.code for problem in problems} <= {"wrong_type", "missing_key"}


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_config_with_anything_anywhere_is_a_config_or_has_problems(data: st.DataObject) -> None:
    """One value of a sound config replaced by any other: no rule trips over it."""
    value = copy.deepcopy(WHOLE)
    holder: Any = value
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(holder[key], dict | list) or not holder[key] or data.draw(st.booleans()):
            break
        holder = holder[key]
    holder[key] = data.draw(ANYTHING)
    config, problems = read_config(parse_document(json.dumps(value).encode(), "x.json"))
    assert (config is None) is bool(problems)
    assert all(problem.line and problem.column for problem in problems)
