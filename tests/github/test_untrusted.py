"""The files of an artifact that a stranger made."""

from __future__ import annotations

import io
import os
import stat
import struct
import tracemalloc
import warnings
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapegate.errors import BadInput
from tapegate.github import untrusted
from tapegate.github.untrusted import Untrusted

FINE = {"results.json": b"{}", "traces/RET-08@A5[3]/trial-1.jsonl": b"line\n" * 1000}


def zipped(files: dict[str, bytes], compress: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip with these files, whatever their names."""
    into = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(into, "w", compress) as made:
        warnings.simplefilter("ignore")
        for name, raw in files.items():
            made.writestr(zipfile.ZipInfo(name), raw, compress)
    return into.getvalue()


def entry(name: str, mode: int, raw: bytes = b"/etc/passwd", flags: int = 0) -> bytes:
    """A zip of one entry of this kind."""
    into = io.BytesIO()
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    with zipfile.ZipFile(into, "w") as made:
        made.writestr(info, raw)
    whole = bytearray(into.getvalue())
    at = whole.rfind(b"PK\x01\x02")
    struct.pack_into("<H", whole, at + 8, flags)
    return bytes(whole)


def refused(raw: bytes) -> str:
    """Why a zip is."""
    with pytest.raises(BadInput) as error:
        Untrusted.of_zip(raw)
    problem = error.value.problems[0]
    assert problem.code == "bad_artifact"
    return problem.message


@pytest.mark.parametrize("compress", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_is_read_and_unpacked(compress: int, tmp_path: Path) -> None:
    """Its files as they are, and nothing beside them."""
    files = Untrusted.of_zip(zipped(FINE, compress))
    assert {name: files.read(name, 10_000) for name in files.names} == FINE
    assert files.read("none", 1) is None
    files.unpack(tmp_path / "to")
    assert {
        path.relative_to(tmp_path / "to").as_posix(): path.read_bytes() for path in tmp_path.rglob("*.json*")
    } == FINE


def test_a_folder_is_read_alike(tmp_path: Path) -> None:
    """As a step before may have unpacked it."""
    Untrusted.of_zip(zipped(FINE)).unpack(tmp_path)
    files = Untrusted.at(tmp_path)
    assert {name: files.read(name, 10_000) for name in files.names} == FINE
    path = tmp_path.parent / f"{tmp_path.name}.zip"
    path.write_bytes(zipped(FINE))
    assert Untrusted.at(path).names == files.names


@pytest.mark.parametrize(
    "name",
    [
        "../results.json", "a/../../x", "/etc/passwd", "//x/y", "a//b", "./x", "a/./b", "C:\\x", "C:x", "..\\x", "a\\b",
        "a\nb", "a\x1bb", "\u202ex", "a|b", "a*b", "x" * 300, "/".join(["x" * 100] * 20), "a\u200bb",
    ],
)  # fmt: skip
def test_a_name_leads_nowhere_else(name: str) -> None:
    """Neither up, nor to a root, nor to what another system would read as one."""
    assert "is no name of a file" in refused(zipped({"results.json": b"{}", name: b"x"}))


@pytest.mark.parametrize("names", [("a", "a"), ("A/b", "a/B"), ("é", "e\u0301"), ("a", "a/b"), ("A/B", "a/b/c")])
def test_no_two_names_are_one(names: tuple[str, str]) -> None:
    """On no file system does one file take the place of another."""
    into = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(into, "w") as made:
        warnings.simplefilter("ignore")
        for name in names:
            made.writestr(name, b"x")
    assert "one name" in (said := refused(into.getvalue())) or "folder of" in said


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_only_regular_files_are_taken(mode: int) -> None:
    """A link in a zip could lead anywhere once it is unpacked."""
    assert "link or a device" in refused(entry("results.json", mode))


def test_what_is_encrypted_or_packed_otherwise_is_refused() -> None:
    """Nothing here would write it."""
    assert "encrypted" in refused(entry("x", 0, flags=1))
    assert "unusual" in refused(zipped({"x": b"x" * 100}, zipfile.ZIP_BZIP2))


def test_links_and_pipes_in_a_folder_are_refused(tmp_path: Path) -> None:
    """To a file, to a folder, to nothing."""
    (tmp_path / "real").mkdir()
    for target in ("/etc/passwd", "real", "nowhere"):
        (tmp_path / "link").symlink_to(target)
        with pytest.raises(BadInput, match="link or a device"):
            Untrusted.at(tmp_path)
        (tmp_path / "link").unlink()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="link or a device"):
        Untrusted.at(tmp_path)


def test_a_link_that_takes_a_files_place_is_not_followed(tmp_path: Path) -> None:
    """Between looking and reading."""
    (tmp_path / "results.json").write_text("{}")
    files = Untrusted.at(tmp_path)
    (tmp_path / "results.json").unlink()
    (tmp_path / "results.json").symlink_to("/etc/passwd")
    with pytest.raises(BadInput, match="cannot be read"):
        files.read("results.json", 1000)


def test_a_bomb_is_counted_while_it_goes_off() -> None:
    """Whatever size it declares, no more is read than was asked for."""
    bomb = zipped({"results.json": b"0" * 3_000_000})
    assert len(bomb) < 5_000
    with pytest.raises(BadInput, match="more than 1,000 bytes"):
        Untrusted.of_zip(bomb).read("results.json", 1_000)
    lying = bytearray(bomb)
    struct.pack_into("<L", lying, lying.rfind(b"PK\x01\x02") + 24, 10)
    with pytest.raises(BadInput):
        Untrusted.of_zip(bytes(lying)).read("results.json", 2_000_000)


def test_no_more_is_held_than_was_asked_for() -> None:
    """A file that unpacks to a thousand times as much fills no memory."""
    files = Untrusted.of_zip(zipped({"results.json": b"0" * 20_000_000}))
    tracemalloc.start()
    try:
        with pytest.raises(BadInput):
            files.read("results.json", 1_000)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_all_files_together_are_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As they are declared, and as they are written."""
    monkeypatch.setattr(untrusted, "MOST_BYTES", 2_000)
    assert "more than 2,000 bytes" in refused(zipped({"a": b"0" * 1_500, "b": b"0" * 600}))
    lying = bytearray(zipped({"a": b"0" * 1_500, "b": b"0" * 600}))
    at = lying.rfind(b"PK\x01\x02")
    struct.pack_into("<L", lying, at + 24, 10)
    with pytest.raises(BadInput):
        Untrusted.of_zip(bytes(lying)).unpack(tmp_path / "to")


def test_many_files_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In a zip before they are listed, in a folder while they are."""
    monkeypatch.setattr(untrusted, "MOST_FILES", 10)
    many = {f"f{number}": b"" for number in range(50)}
    assert "lists 50 files" in refused(zipped(many))
    assert "more than 10 files" in refused(zipped(dict(list(many.items())[:15])))
    for name in many:
        (tmp_path / name).touch()
    with pytest.raises(BadInput, match="more than 10 files"):
        Untrusted.at(tmp_path)


def test_a_directory_that_would_fill_the_memory_is_not_opened() -> None:
    """Its size is looked at before a single name of it, in both forms that a zip has for it."""
    raw = bytearray(zipped(FINE))
    end = raw.rfind(b"PK\x05\x06")
    struct.pack_into("<L", raw, end + 12, 2**31)
    assert "its list of files has" in refused(bytes(raw))
    long = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 5_000_000, 5_000_000, 2**33, 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
    plain = zipped(FINE)
    at = plain.rfind(b"PK\x05\x06")
    assert "lists 5,000,000 files" in refused(plain[:at] + long + locator + plain[at:])


@pytest.mark.parametrize("raw", [b"", b"PK\x05\x06", b"not a zip", b"<html>" * 100, b"PK\x05\x06" + b"\0" * 17])
def test_what_is_no_zip_is_said_to_be_none(raw: bytes) -> None:
    """As an error page in an artifact's place would be."""
    assert "no zip" in refused(raw)


def test_a_zip_of_nothing_is_empty() -> None:
    """It holds no results, which whoever reads it says."""
    assert Untrusted.of_zip(zipped({})).names == {}


@settings(max_examples=120)
@given(st.data())
def test_a_broken_zip_is_an_error_of_ours(data: st.DataObject) -> None:
    """Whatever bytes are changed, cut or added: files are read, or `bad_artifact` is raised."""
    raw = bytearray(zipped({"results.json": b"{}" * 20, "a/b": b"x" * 10}))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at] = data.draw(st.integers(0, 255))
    whole = bytes(raw)[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else bytes(raw)
    with suppress(BadInput):
        files = Untrusted.of_zip(whole)
        for name in files.names:
            files.read(name, 1_000)
