"""Names that mean one file, inside its folder, on every system."""

from __future__ import annotations

import re
from typing import Literal

_ALLOWED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
# Windows opens a device for these, whatever the folder and the ending.
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})

RULE = "letters, digits, '.', '_' and '-', a letter or digit first, 100 characters at most"

Code = Literal["path_escape", "bad_name"]


def fault(name: str) -> tuple[Code, str] | None:
    """Why a name may not become a file's name, with the code of the problem; None where it may.

    `path_escape` says that the name would reach outside its folder, or another file than it says, on some system.
    """
    if "\0" in name:
        return "path_escape", "holds a NUL, which ends a path for the system"
    if "/" in name or "\\" in name:
        return "path_escape", "holds a path separator"
    if re.match(r"[A-Za-z]:", name):
        return "path_escape", "starts with a drive letter"
    if name.startswith("."):
        return "path_escape", "starts with a dot"
    if name.endswith((".", " ")):
        return "path_escape", "ends in a dot or a space, which Windows drops"
    if name.split(".", 1)[0].casefold() in _DEVICES:
        return "path_escape", "is the name of a device on Windows"
    if not _ALLOWED.fullmatch(name):
        return "bad_name", f"is no portable name ({RULE})"
    return None
