"""The `Link` header by which an API says where the next page is (RFC 8288)."""

from __future__ import annotations

import re

_LINK = re.compile(r'<([^<>]*)>((?:[^,"]|"(?:[^"\\]|\\.)*")*)')
_PARAMETER = re.compile(r';\s*([^\s=;,"]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s;,"]*))?')


def next_page(header: str) -> str | None:
    """The address of the page after this one; None where the header names none, or is none."""
    for link in _LINK.finditer(header):
        for parameter in _PARAMETER.finditer(link[2]):
            relations = (parameter[2] or "").strip('"').lower().split()
            if parameter[1].lower() == "rel":
                if "next" in relations:
                    return link[1] or None
                break  # of several, the first counts
    return None
