"""Every dialect, on files of our own: what each holds, byte for byte where it holds the bytes."""

from __future__ import annotations

import base64
import gzip
import json

import pytest
import yaml

from tapegate.errors import CassetteError
from tapegate.tape.importing.dialect import read_foreign
from tapegate.tape.limits import Limits

REQUEST = {
    "method": "POST",
    "uri": "https://api.example/v1/chat",
    "headers": {"Accept": ["a", "b"]},
    "body": '{"q": 1}',
}
RESPONSE = {
    "status": {"code": 200, "message": "OK"},
    "headers": {"content-type": ["text/plain"]},
    "body": {"string": "ü"},
}
PACKED = gzip.compress(b"packed", mtime=0)


def read(document, file="a.yaml"):
    return read_foreign(document if isinstance(document, bytes) else yaml.safe_dump(document).encode(), file)


def one(request=None, response=None):
    """The one exchange of a cassette, its parts replaced."""
    row = {"request": {**REQUEST, **(request or {})}, "response": {**RESPONSE, **(response or {})}}
    (found,) = read({"interactions": [row], "version": 1}).exchanges
    return found


def test_vcrpy_of_today():
    """Text is the bytes that were sent, header names keep their values in order."""
    found = one()
    assert (found.method, found.uri, found.request.data) == ("POST", "https://api.example/v1/chat", b'{"q": 1}')
    assert found.request_headers == {"Accept": ("a", "b")}
    assert (found.status, found.reason, found.response.data) == (200, "OK", "ü".encode())
    assert (found.request.fidelity, found.response.fidelity) == ("exact", "exact")


@pytest.mark.parametrize(
    ("body", "data"),
    [
        ({"string": None}, b""),
        ({"string": b"\x00\xff"}, b"\x00\xff"),
        ({"string": "", "encoding": "utf-8"}, b""),
        (None, b""),
        ("plain text", b"plain text"),
    ],
)
def test_bodies_that_are_bytes(body, data):
    """Nothing, `!!binary`, and what older recorders put in place of the mapping."""
    assert one(response={"body": body}).response.data == data


def test_what_is_compressed_stays_compressed():
    """With the header that says so."""
    found = one(response={"headers": {"Content-Encoding": ["gzip"]}, "body": {"string": PACKED}})
    assert (found.response.data, found.response.fidelity) == (PACKED, "exact")
    assert found.response_headers == {"Content-Encoding": ("gzip",)}


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "deflate"])
def test_what_the_recorder_decoded_loses_the_header_that_it_left_behind(encoding):
    """A client would decode plain text a second time, and fail."""
    found = one(response={"headers": {"Content-Encoding": [encoding], "x": ["1"]}, "body": {"string": '{"a": 1}'}})
    assert (found.response.data, found.response.fidelity) == (b'{"a": 1}', "decoded")
    assert found.response_headers == {"x": ("1",)}


def test_an_encoding_that_only_its_name_is_known_of_is_believed():
    """Where the body is no text: nobody decoded that."""
    found = one(response={"headers": {"content-encoding": ["br"]}, "body": {"string": b"\x8b\x02\x80abc\x03"}})
    assert (found.response_headers, found.response.fidelity) == ({"content-encoding": ("br",)}, "exact")


def test_a_body_that_is_neither_compressed_nor_text_is_refused():
    """Nobody knows what was sent."""
    with pytest.raises(CassetteError, match="content-encoding says gzip") as caught:
        one(response={"headers": {"content-encoding": ["gzip"]}, "body": {"string": b"\x00\x01"}})
    assert caught.value.problems[0].code == "unknown_dialect"


def test_parsed_bodies_mean_the_same_and_say_so():
    """JSON that was kept as YAML comes back as JSON; its bytes are nobody's."""
    request = {key: value for key, value in REQUEST.items() if key != "body"}
    response = {key: value for key, value in RESPONSE.items() if key != "body"}
    said = {"text": "grün", "n": 1.5, "tiny": 1e-05, "none": None, "yes": True, "date": "2026-01-01", "list": [1, "1"]}
    row = {
        "request": {**request, "parsed_body": said},
        "response": {**response, "headers": {"content-encoding": ["gzip"]}, "parsed_body": [said]},
    }
    (found,) = read({"interactions": [row]}).exchanges
    assert json.loads(found.request.data) == said
    assert (
        found.request.data.startswith('{"text":"grün","n":1.5,"tiny":1e-05'.encode())
        or b'"tiny":1e-05' in found.request.data
    )
    assert json.loads(found.response.data) == [said]
    assert (found.request.fidelity, found.response.fidelity) == ("rebuilt", "rebuilt")
    assert found.response_headers == {}


def test_a_request_body_that_is_a_mapping_is_parsed_json():
    """As some recorders keep it without another name."""
    found = one(request={"body": {"messages": [{"role": "user"}]}})
    assert (json.loads(found.request.data), found.request.fidelity) == ({"messages": [{"role": "user"}]}, "rebuilt")


def test_httpx_of_old():
    """`content` and `status_code` stand beside each other, and there is no reason phrase."""
    response = {"content": "text", "headers": {"Content-Type": ["a"]}, "http_version": "HTTP/1.1", "status_code": 201}
    (found,) = read({"interactions": [{"request": REQUEST, "response": response}]}).exchanges
    assert (found.status, found.reason, found.response.data) == (201, "", b"text")


def test_header_names_of_aiohttp():
    """`istr` is text; nothing is imported or called for it, and a number is the text that it was sent as."""
    text = """\
interactions:
- request:
    body: null
    headers:
      ? !!python/object/apply:multidict._multidict.istr
      - Accept
      : - application/json
      !!python/object/apply:multidict._multidict.istr [X-Count]: 7
    method: GET
    uri: http://a/
  response:
    body: {string: !!python/unicode 'x'}
    headers: []
    status: {code: 200, message: !!python/str OK}
"""
    (found,) = read(text.encode()).exchanges
    assert found.request_headers == {"Accept": ("application/json",), "X-Count": ("7",)}
    assert found.response_headers == {}


def test_python_objects_that_vcrpy_itself_wrote():
    """A pickled buffer is its content, an iterator its pieces, a tuple its items."""
    rows = """\
interactions:
- request:
    body: !!python/object/new:_io.BytesIO
      state: !!python/tuple [!!binary YWJj, 0, null]
    headers: !!python/tuple [[a, b], [a, c]]
    method: POST
    uri: http://a/
  response: {body: {string: x}, headers: {}, status: {code: 200, message: OK}}
- request:
    body: !!python/object/apply:builtins.iter
      args: [[!!binary YWI=, cd]]
    headers: {}
    method: POST
    uri: http://a/
  response: {body: {string: x}, headers: {}, status: {code: 200, message: OK}}
"""
    first, second = read(rows.encode()).exchanges
    assert (first.request.data, first.request_headers) == (b"abc", {"a": ("b", "c")})
    assert second.request.data == b"abcd"


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system [id]",
        "!!python/object/new:subprocess.Popen {args: [id]}",
        "!!python/name:os.system ''",
        "!local {a: b}",
        "!!set {a, b}",
    ],
)
def test_a_tag_that_asks_for_anything_else_is_refused(tag):
    """By its name and line; nothing is built."""
    text = f"interactions:\n- request: {{method: GET, uri: 'http://a/', body: {tag}}}\n  response: {{}}\n"
    with pytest.raises(CassetteError) as caught:
        read(text.encode())
    (problem,) = caught.value.problems
    assert (problem.code, problem.line) == ("forbidden_tag", 2)


def test_json_cassettes():
    """vcrpy's JSON serializer writes the same shape."""
    row = {"request": REQUEST, "response": RESPONSE}
    (found,) = read(json.dumps({"version": 1, "interactions": [row]}).encode(), "a.json").exchanges
    assert (found.uri, found.response.data) == ("https://api.example/v1/chat", "ü".encode())


def test_one_exchange_a_file():
    """The dialect of a test agent: `url`, headers with one value each, a body that is text."""
    document = {
        "request": {"method": "POST", "url": "https://a/x?y=1", "headers": {"A": "1"}, "body": "q"},
        "response": {"status": {"code": 202, "message": "Accepted"}, "headers": {"B": "2"}, "body": "r"},
    }
    (found,) = read(json.dumps(document).encode(), "a.json").exchanges
    assert (found.uri, found.request_headers, found.request.data) == ("https://a/x?y=1", {"A": ("1",)}, b"q")
    assert (found.status, found.response_headers, found.response.data) == (202, {"B": ("2",)}, b"r")


def test_before_there_was_a_version():
    """Neither the version nor the mapping around the interactions is needed."""
    row = {"request": REQUEST, "response": RESPONSE}
    assert len(read({"interactions": [row]}).exchanges) == len(read([row]).exchanges) == 1


def test_what_is_no_http_is_counted():
    """Calls of a model inside the process are interactions too, and none of ours."""
    row = {"request": REQUEST, "response": RESPONSE}
    found = read({"interactions": {"a": [{"token": 1}], "b": row}})
    assert (len(found.exchanges), found.others, found.is_cassette) == (1, 1, True)
    assert read({"interactions": {}}).others == 0
    assert read({"interactions": None}).is_cassette


@pytest.mark.parametrize("document", [{"name": "package"}, [1, 2], "text", {"interactions": 3}, []])
def test_what_is_no_cassette_is_known(document):
    """Other YAML lies in the same folders."""
    assert not read(document).is_cassette


@pytest.mark.parametrize(
    ("request_", "response", "says"),
    [
        ({}, {"status": None}, "the response's status is None"),
        ({}, {"status": {"code": "200"}}, "status is '200'"),
        ({}, {"status": {"code": True}}, "status is True"),
        ({}, {"headers": "a: b"}, "headers are str"),
        ({}, {"body": {"string": 7}}, "the body of the response is int"),
        ({"uri": None}, {}, "uri is NoneType"),
        ({"headers": {"a": [None]}}, {}, "header 'a' is NoneType"),
    ],
)
def test_an_exchange_that_cannot_be_read_is_named(request_, response, says):
    """With its place and what stands there."""
    rows = [{"request": REQUEST, "response": RESPONSE}] * 2
    rows.append({"request": {**REQUEST, **request_}, "response": {**RESPONSE, **response}})
    with pytest.raises(CassetteError) as caught:
        read({"interactions": rows})
    (problem,) = caught.value.problems
    assert problem.code == "unknown_dialect"
    assert problem.message.startswith("interactions[2]: ")
    assert says in problem.message


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (BOMB, "alias_limit"),
        ("a: &a [*a]\n", "alias_limit"),
        ("a: 1\na: 2\n", "duplicate_key"),
        ("a: 1\n---\na: 2\n", "multi_document"),
        ("[" * 200 + "]" * 200, "size_limit"),
        ("? [a]\n: b\n", "cassette_corrupt"),
        ("a: !!binary '&'\n", "cassette_corrupt"),
        ("a: [\n", "cassette_corrupt"),
        ("", "cassette_corrupt"),
        ("a: \x00\n", "cassette_corrupt"),
        ("a: &b 1\nc: *d\n", "alias_limit"),
    ],
)
def test_yaml_that_is_a_trap_is_refused(text, code):
    """At once, whatever it would cost to build."""
    with pytest.raises(CassetteError) as caught:
        read(text.encode())
    assert [problem.code for problem in caught.value.problems] == [code]


def test_an_alias_that_a_dumper_wrote_is_read():
    """PyYAML writes one wherever two places hold one object."""
    shared = ["x"]
    row = {"request": {**REQUEST, "headers": {"a": shared}}, "response": {**RESPONSE, "headers": {"b": shared}}}
    raw = yaml.safe_dump({"interactions": [row]})
    assert "*id001" in raw
    (found,) = read(raw.encode()).exchanges
    assert (found.request_headers, found.response_headers) == ({"a": ("x",)}, {"b": ("x",)})


@pytest.mark.parametrize(
    ("text", "code"),
    [("{", "not_json"), ('{"a": 1, "a": 2}', "not_json"), ("[" * 100_000, "not_json"), ("\xff", "not_json")],
)
def test_json_that_is_a_trap_is_refused(text, code):
    """Like YAML."""
    with pytest.raises(CassetteError) as caught:
        read(text.encode("latin-1"), "a.json")
    assert caught.value.problems[0].code == code


def test_a_file_over_the_limit_is_refused():
    """Before it is parsed."""
    with pytest.raises(CassetteError, match="a cassette may have 10") as caught:
        read_foreign(b"interactions: []", "a.yaml", Limits(file_bytes=10))
    assert caught.value.problems[0].code == "size_limit"


def test_binary_of_any_layout_is_its_bytes():
    """Folded as PyYAML folds it, or on one line."""
    data = bytes(range(256))
    folded = base64.encodebytes(data).decode().replace("\n", "\n          ")
    text = f"""\
interactions:
- request: {{method: GET, uri: 'http://a/', headers: {{}}, body: null}}
  response:
    status: {{code: 200, message: OK}}
    headers: {{}}
    body:
      string: !!binary |
          {folded.rstrip()}
"""
    (found,) = read(text.encode()).exchanges
    assert found.response.data == data
