"""Files read from a folder: text, Markdown, PDF, and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperdesk import document
from paperdesk.document import DocumentError, read


def pdf(*pages: str) -> bytes:
    """A PDF with a line of text on each line of each page."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for page in pages:
        lines = "".join(f"({line}) Tj T* " for line in page.splitlines())
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {lines}ET".encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, table)
    return bytes(out)


@pytest.mark.parametrize(
    ("name", "raw", "text"),
    [
        ("a.txt", "Zwölf\r\nJars".encode(), "Zwölf\nJars"),
        ("a.MD", b"\xef\xbb\xbf# Jars\n\nText.\n", "# Jars\n\nText."),
        (
            "a.pdf",
            pdf("Jars of clay keep vac-\ncines cool", "Five broke."),
            "Jars of clay keep vaccines cool\n\nFive broke.",
        ),
    ],
)
def test_read(tmp_path: Path, name: str, raw: bytes, text: str) -> None:
    """Text, Markdown and PDF give their text, with plain line ends and without a byte-order mark."""
    (tmp_path / name).write_bytes(raw)
    assert read(tmp_path / name).text == text


@pytest.mark.parametrize(
    ("name", "raw", "says"),
    [
        ("a.docx", b"PK", "expected a file in .txt, .md or .pdf"),
        ("a.txt", b"\xff\xfe", "not in UTF-8: byte 0"),
        ("a.txt", b" \n\0 --", "holds no text"),
        ("a.pdf", b"no pdf at all", "no PDF that can be read"),
        ("a.pdf", pdf("x")[:200], "no PDF that can be read"),
        ("a.pdf", pdf(""), "holds no text"),
        ("missing.txt", None, "cannot be read: No such file"),
    ],
)
def test_refused(tmp_path: Path, name: str, raw: bytes | None, says: str) -> None:
    """What cannot be read is one error that names the file, without its folder, and says why."""
    if raw is not None:
        (tmp_path / name).write_bytes(raw)
    with pytest.raises(DocumentError, match=f"'{name}'") as caught:
        read(tmp_path / name)
    assert says in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file beyond the limit is refused unread."""
    monkeypatch.setattr(document, "MAX_BYTES", 1 << 20)
    (tmp_path / "a.txt").write_bytes(b"x" * ((1 << 20) + 1))
    with pytest.raises(DocumentError, match="more than 1 MiB"):
        read(tmp_path / "a.txt")


def test_the_id_is_of_the_text(tmp_path: Path) -> None:
    """The same text under the same name has the same id anywhere; another text has another one."""
    ids = []
    for folder, text in (("a", "One."), ("b", "One."), ("c", "Two.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "Clay Jars (final)!.txt").write_text(text)
        ids.append(read(tmp_path / folder / "Clay Jars (final)!.txt").paper_id)
    assert ids[0] == ids[1] != ids[2]
    assert ids[0].startswith("p-clay-jars-final-")
