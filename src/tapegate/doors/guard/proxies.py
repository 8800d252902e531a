"""Proxy variables that lead nowhere, or to who refuses: the weakest guard, for programs that honour them."""

from __future__ import annotations

DEAD = "http://127.0.0.1:9"
"""Where nobody listens: port 9 is `discard`, which no system serves any more."""


def proxies(url: str) -> dict[str, str]:
    """The variables that lead to `url`, by name, both spellings of each."""
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
    return {**dict.fromkeys(names, url), **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost,::1")}


PROXIES = proxies(DEAD)
