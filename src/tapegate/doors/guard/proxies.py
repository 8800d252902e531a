"""Proxy variables that lead nowhere: the weakest guard, for programs that honour them."""

from __future__ import annotations

DEAD = "http://127.0.0.1:9"
"""Where nobody listens: port 9 is `discard`, which no system serves any more."""

PROXIES: dict[str, str] = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"), DEAD),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost,::1"),
}
"""By name, both spellings of each."""
