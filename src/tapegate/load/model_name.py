"""Whether the name of a model is that of one model, or an alias that moves (rubric §4.2)."""

from __future__ import annotations

import re

MOVING = frozenset({"auto", "current", "default", "latest", "newest", "nightly", "stable"})
"""Words that say that what stands behind a name changes."""

_DATE = r"\d{4}-\d{2}-\d{2}|\d{8}|\d{2}-\d{4}|\d{4}|\d{2}-\d{2}"
_DATED = re.compile(rf"[-@](?:{_DATE})(?![0-9])")
_CLAUDE = re.compile(r"claude-(?:[a-z]+-)?(?P<major>\d+)(?:[-.](?P<minor>\d{1,2})(?!\d))?")
_NUMBERED = re.compile(r"-\d{3}(?![0-9])")

_OPENAI = re.compile(r"(?:gpt-(?:3\.?5|4|5)|chatgpt|o[1-9](?![a-z0-9])|codex)")
_MISTRAL = re.compile(r"(?:open-)?(?:mi[sx]tral|ministral|codestral|pixtral|magistral|devstral)-(?!.*instruct)")
_COMMAND = re.compile(r"command-[ar](?![a-z])")
_GEMINI = re.compile(r"gemini-(?:1\.|2\.0|pro|ultra|flash)")
_OTHERS = re.compile(r"(?:deepseek-(?:chat|reasoner|coder)|grok-beta|qwen-(?:max|plus|turbo|long))$")
"""Names of services that stand for whichever version is the newest."""
_PREFIX = re.compile(r"^(?:.*/)?(?:(?:us|eu|apac|global)\.)?(?:anthropic|mistral|cohere)\.")


def floating(name: str) -> str | None:
    """Why a name is no exact one, as the end of a sentence; None where it is exact as far as can be told.

    Refused are names with a word like `latest`, and undated names of models that their providers publish with dates.
    A name with `@` and a version is exact, whatever stands before it.
    """
    lower = name.lower()
    moving = MOVING & set(re.split(r"[^a-z0-9]+", lower))
    if moving:
        return f"holds {sorted(moving)[0]!r}, so that another model may answer to it tomorrow"
    if re.search(r"@[\w.:+-]+$", lower):
        return None
    bare = _PREFIX.sub("", lower).rsplit("/", 1)[-1]
    undated = _DATED.search(bare) is None
    if undated and (_OPENAI.match(bare) or _MISTRAL.match(bare) or _COMMAND.match(bare)):
        return "has no date, and its provider publishes dated snapshots of it"
    if _OTHERS.fullmatch(bare):
        return "names no version, so that another model may answer to it tomorrow"
    if undated and _GEMINI.match(bare) and not _NUMBERED.search(bare):
        return "has no version number, and its provider publishes numbered versions of it"
    # Before 4.6 a name without a date is an alias of the newest snapshot; from 4.6 on it is the snapshot itself
    # (platform.claude.com, "Model IDs and versioning").
    claude = _CLAUDE.match(bare)
    if (
        claude
        and undated
        and 3 <= int(claude["major"]) <= 4
        and (int(claude["major"]), int(claude["minor"] or 0)) < (4, 6)
    ):
        return "has no date, and its provider publishes dated snapshots of it"
    return None
