"""Files of rubric samples."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.errors import BadInput, LoadError, UsageError
from tapegate.load.samples import read_samples
from tapegate.model.rubric import Sample

HEADER = "accuracy_score,faithfulness_score,latency_e2e_ms,input_tokens,output_tokens,total_tokens,timed_out,crashed"
SAMPLE = Sample(2, 1, 3000, None, 1500, 500, 2000)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '[{"accuracy_score":2,"faithfulness_score":1,"latency_e2e_ms":3000,"input_tokens":1500,'
                   '"output_tokens":500,"total_tokens":2000,"timed_out":false,"rationale":"good"}]'),
        ("a.json", '{"run":"x","samples":[{"accuracy_score":2,"faithfulness_score":1,"latency_e2e_ms":3000,'
                   '"input_tokens":1500,"output_tokens":500}]}'),
        ("a.json", '{"accuracy_score":2,"faithfulness_score":1,"latency_e2e_ms":3000,"input_tokens":1500,'
                   '"output_tokens":500}'),
        ("a.jsonl", '\n{"accuracy_score":2,"faithfulness_score":1,"latency_e2e_ms":3000,"input_tokens":1500,'
                    '"output_tokens":500,"crashed":null}\n\n'),
        ("a.csv", f"{HEADER}\n2,1,3000,1500,500,2000,false,FALSE\n\n"),
        ("a.csv", f"\ufeff{HEADER}\r\n2,1,3000,1500,500,,,\r\n"),
    ],
)  # fmt: skip
def test_every_format_gives_the_same_sample(name: str, text: str, tmp_path: Path) -> None:
    """A list, an object around it, one sample alone, lines, a table; an empty cell is a missing value."""
    path = tmp_path / name
    path.write_text(text, "utf-8", newline="")
    assert read_samples(path, name) == (SAMPLE,)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("accuracy_score", "2.0"),
        ("accuracy_score", "true"),
        ("accuracy_score", "3"),
        ("accuracy_score", "-1"),
        ("accuracy_score", '"2"'),
        ("faithfulness_score", "1e0"),
        ("latency_e2e_ms", "-1"),
        ("latency_e2e_ms", "0.5"),
        ("latency_e2e_ms", "1" + "0" * 18),
        ("total_tokens", "false"),
        ("timeout_ms", '"9"'),
        ("timed_out", "0"),
        ("crashed", '"false"'),
        ("id", "7"),
        ("latency", "7"),
    ],
)
def test_nothing_is_coerced(field: str, value: str, tmp_path: Path) -> None:
    """A float, a boolean, a text or a negative number where an integer belongs rejects the run, at its place."""
    path = tmp_path / "a.json"
    path.write_text(f'[\n{{"accuracy_score": 1}},\n{{"{field}":\n{value}}}]')
    with pytest.raises(LoadError) as caught:
        read_samples(path, "a.json")
    assert [(problem.code, problem.line) for problem in caught.value.problems] == [("invalid_sample", 4)]
    assert field in caught.value.problems[0].message


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1" + "0" * 5000])
def test_what_json_does_not_have_is_refused(value: str, tmp_path: Path) -> None:
    """NaN, infinity and a number of five thousand digits are bad input, not a traceback."""
    path = tmp_path / "a.json"
    path.write_text(f'[{{"accuracy_score": {value}}}]')
    with pytest.raises(LoadError):
        read_samples(path, "a.json")


@pytest.mark.parametrize("cell", ["2.0", "true", "NaN", "-1", " 2", "2 ", "1_0", "٢", "2e0", "02"])
def test_a_cell_is_an_integer_or_refused(cell: str, tmp_path: Path) -> None:
    """CSV knows no types, and takes no liberty for it."""
    path = tmp_path / "a.csv"
    path.write_text(f"accuracy_score\n2\n{cell}\n", "utf-8")
    with pytest.raises(LoadError) as caught:
        read_samples(path, "a.csv")
    assert [(problem.code, problem.line) for problem in caught.value.problems] == [("invalid_sample", 3)]


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.json", '[{"accuracy_score":1,"accuracy_score":2}]', "duplicate_key"),
        ("a.json", '[{"accuracy_score":1,"\\u0061ccuracy_score":2}]', "duplicate_key"),
        ("a.json", "[1]", "invalid_sample"),
        ("a.json", "", "empty_document"),
        ("a.json", '[{"input_tokens":1,"output_tokens":2,"total_tokens":4}]', "invalid_sample"),
        ("a.csv", "accuracy_score,accuracy_score\n1,1\n", "duplicate_key"),
        ("a.csv", "accuracy_score,crashed\n1\n", "invalid_sample"),
        ("a.csv", 'accuracy_score\n"1\n', "csv_syntax"),
        ("a.csv", "", "empty_document"),
        ("a.csv", "acuracy_score\n", "invalid_sample"),
        ("a.json", '{"samples": [{"accuracy_score": 2}], "timed_out": true}', "invalid_sample"),
        ("a.json", '{"samples": [], "accuracy_score": 2}', "invalid_sample"),
        ("a.json", '[{"total_tokens": 9, "input_tokens": 10}]', "invalid_sample"),
        ("a.json", '[{"total_tokens": 9, "output_tokens": 10}]', "invalid_sample"),
    ],
)
def test_an_ambiguous_file_is_refused(name: str, text: str, code: str, tmp_path: Path) -> None:
    """Whatever two readers could take for two different runs is scored by neither."""
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(LoadError) as caught:
        read_samples(path, name)
    assert caught.value.problems[0].code == code


def test_metadata_of_the_run_may_stand_beside_the_samples(tmp_path: Path) -> None:
    """Its name and whatever else is no field of a sample."""
    path = tmp_path / "a.json"
    path.write_text('{"samples": [{"total_tokens": 10, "input_tokens": 10}], "run_id": "r", "id": "i", "machine": "m"}')
    assert [sample.total_tokens for sample in read_samples(path, "a.json")] == [10]


def test_a_line_of_json_lines_is_named(tmp_path: Path) -> None:
    """A problem of the third line stands on line three."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"accuracy_score":1}\n\n{"accuracy_score":true}\n{')
    with pytest.raises(LoadError) as caught:
        read_samples(path, "a.jsonl")
    assert [problem.line for problem in caught.value.problems] == [3, 4]


@pytest.mark.parametrize(("name", "code"), [("a.txt", "unknown_format"), ("gone.json", "unreadable_file")])
def test_a_file_of_another_kind_is_refused(name: str, code: str, tmp_path: Path) -> None:
    """The ending says the format; a file that is not there is said."""
    (tmp_path / "a.txt").write_text("[]")
    with pytest.raises(UsageError) as caught:
        read_samples(tmp_path / name, name)
    assert caught.value.problems[0].code == code


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=60), st.sampled_from(["a.json", "a.jsonl", "a.csv"]))
def test_any_bytes_are_samples_or_bad_input(tmp_path_factory: pytest.TempPathFactory, raw: bytes, name: str) -> None:
    """No file ends in another exception."""
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(raw)
    with suppress(BadInput):
        assert all(isinstance(sample, Sample) for sample in read_samples(path, name))
