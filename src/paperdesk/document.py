"""Files that can be put on the desk: plain text, Markdown, and PDF with text in it."""

from __future__ import annotations

import hashlib
import logging
import re
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 20 * 1024 * 1024
TEXT_SUFFIXES = (".txt", ".text", ".md", ".markdown")
_HYPHEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_LINE_END = re.compile(r"(?<!\n)\n(?!\n)")


class DocumentError(Exception):
    """A file that cannot be read; the message names it, without its folder, and says why."""


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one file."""

    name: str
    text: str
    path: str
    """As it was given."""

    @property
    def paper_id(self) -> str:
        """The id that the paper gets: of the file's name, and of the text itself. The same text is the same paper."""
        slug = "-".join(re.findall(r"[a-z0-9]+", Path(self.name).stem.lower()))[:24].strip("-") or "paper"
        return f"p-{slug}-{hashlib.sha256(self.text.encode()).hexdigest()[:6]}"


def read(path: Path) -> Document:
    """The document in a file. Raises `DocumentError`."""
    suffix = path.suffix.lower()
    if suffix not in (*TEXT_SUFFIXES, ".pdf"):
        raise DocumentError(f"{path.name!r} is no text: expected a file in .txt, .md or .pdf")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DocumentError(f"{path.name!r} has more than {MAX_BYTES >> 20} MiB")
        text = _pdf(path) if suffix == ".pdf" else path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DocumentError(f"{path.name!r} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path.name!r} is not in UTF-8: byte {error.start} fits no character") from error
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()
    if not any(char.isalnum() for char in text):
        raise DocumentError(f"{path.name!r} holds no text; a scan must be recognised (OCR) first")
    return Document(path.name, text, str(path))


def _pdf(path: Path) -> str:
    """The text of a PDF, a page a paragraph."""
    import pypdf  # takes a while to import, and most runs read none

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of each flaw that it has put up with
    try:
        pages = [page.extract_text() for page in pypdf.PdfReader(path).pages]
    except OSError:
        raise
    except Exception as error:  # a broken file makes the reader raise anything
        raise DocumentError(f"{path.name!r} is no PDF that can be read ({type(error).__name__})") from error
    whole = ("\n".join(line.strip() for line in page.splitlines()) for page in pages)
    return "\n\n".join(_LINE_END.sub(" ", _HYPHEN.sub("", page)) for page in whole).encode("utf-8", "replace").decode()
