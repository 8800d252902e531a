"""Whether a file holds a prompt: a heuristic, so that the scope table misses none in silence.

By its name, where a word of its path is `prompt` or `prompts`: `prompts/critic.md`, `SystemPrompt.ts`, `x.prompt`. By
its text, where one of `MARKS` stands in it. Looked at are program text and templates, not what is there for people,
tests or tools (`ASIDE`, hidden folders), and no file of more than `LARGEST` bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import re2

CODE = frozenset(
    f".{ending}"
    for ending in (
        *("py", "ipynb", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "html"),
        *("go", "rs", "java", "kt", "kts", "scala", "groovy", "rb", "php", "cs", "fs", "swift", "dart"),
        *("ex", "exs", "clj", "lua", "pl", "r", "jl", "sh"),
    )
)
"""Endings of program text."""
TEXT = frozenset(
    f".{ending}"
    for ending in (
        *("txt", "md", "mdx", "yaml", "yml", "json", "toml", "xml", "prompt", "prompty"),
        *("j2", "jinja", "jinja2", "tmpl", "tpl", "hbs", "handlebars", "mustache", "liquid", "ejs"),
    )
)
"""Endings of templates and data that a prompt may be kept in."""
ASIDE = frozenset({"doc", "docs", "test", "tests", "testdata", "__tests__", "__mocks__", "spec", "specs", "fixtures"})
"""Folders whose files reach no user."""
PEOPLE = frozenset({"readme", "changelog", "contributing", "license", "notice", "security", "agents", "claude"})
"""Names, without ending, of files for people and for tools that write code."""
LARGEST = 400_000
"""Bytes."""

_ROLES = (
    "assistant|agent|bot|chatbot|copilot|expert|specialist|analyst|researcher|librarian|critic|judge|grader|evaluator"
    "|reviewer|editor|writer|summari[sz]er|translator|classifier|extractor|router|planner|tutor|teacher|engineer"
    "|developer|programmer|model|ai|llm"
)
_OPENING = r"""(?:[(\[{]\s*)?[rfbuRFBU]{0,2}(?:["'`]|<<)"""


@dataclass(frozen=True, slots=True)
class Mark:
    """Text by which a prompt is known."""

    why: str
    pattern: str
    """RE2 over bytes."""
    only: frozenset[str] = CODE | TEXT
    """Endings of the files in which it counts."""


MARKS = (
    Mark("tells a model what it is", rf"(?i)\byou are (?:\w+, )?(?:an?|the) (?:\w+[ -]){{0,6}}?(?:{_ROLES})\b"),
    Mark(
        "writes a system message",
        r"""(?i)["']?\brole["']?\s*(?::|=>|=)\s*["'`]?(?:system|developer)\b["'`]?\s*(?:[,;})\]\n]|$)""",
    ),
    Mark(
        "names a text a prompt",
        r"(?:\b(?i:\w+_?prompt|prompt_\w+|\w*system_?(?:instruction|message)s?)|\bPROMPT)\b"
        rf"\s*(?::\s*[\w.\[\]]+\s*)?(?::=|=)\s*{_OPENING}",
        CODE,
    ),
    Mark("names a text a prompt", r"""\bprompt\s*(?::=|=)\s*[rfRF]{0,2}(?:\"\"\"|'''|`)""", CODE),
    Mark(
        "builds a prompt",
        r"\b(?:ChatPromptTemplate|SystemMessagePromptTemplate|PromptTemplate|SystemMessage)\s*[.(]",
        CODE,
    ),
    Mark("gives a model instructions", rf"\b(?:instructions|system|system_instruction)\s*=\s*{_OPENING}", CODE),
    Mark("names a text a prompt", r"""(?im)^\s*["']?(?:system_?)?prompt["']?\s*[:=]\s*\S""", TEXT),
)

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True, slots=True)
class Sign:
    """Why a file is taken to hold a prompt."""

    why: str
    line: int | None
    """1-based; None where its name says so."""


def looked_at(name: str) -> bool:
    """Whether a file of that name may hold a prompt of an agent at all."""
    path = PurePosixPath(name)
    folders = path.parts[:-1]
    return (
        path.suffix.lower() in CODE | TEXT
        and path.stem.lower() not in PEOPLE
        and not any(folder.lower() in ASIDE or folder.startswith(".") for folder in folders)
    )


def sign(project: Path, name: str) -> Sign | None:
    """Why the file `name` of a project is taken to hold a prompt; None where it is not."""
    # Git lists files that are gone from the work tree, too; and what is no file, a pipe say, is not opened.
    if not looked_at(name) or not (project / name).is_file():
        return None
    if {"prompt", "prompts"} & {word.lower() for word in _WORDS.findall(name)}:
        return Sign("is called so", None)
    try:
        with (project / name).open("rb") as file:
            text = file.read(LARGEST + 1)
    except OSError:
        return None
    return None if len(text) > LARGEST else _in_text(text, PurePosixPath(name).suffix.lower())


def _in_text(text: bytes, ending: str) -> Sign | None:
    if _compiled("|".join(f"(?:{mark.pattern})" for mark in MARKS)).search(text) is None:
        return None
    for mark in MARKS:
        if ending in mark.only and (found := _compiled(mark.pattern).search(text)) is not None:
            start = found.end() - len(found.group().lstrip())
            return Sign(mark.why, text.count(b"\n", 0, start) + 1)
    return None


@cache
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return re2.compile(pattern.encode("latin-1"), options)
