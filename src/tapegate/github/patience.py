"""How long GitHub is waited for, and when asking again may help.

As GitHub documents it ("Best practices for using the REST API", "Handle rate limit errors appropriately"): a
`Retry-After` is kept to the second; without one, a used-up limit is waited for until `x-ratelimit-reset`; a secondary
limit without either for a minute, then for twice as long each time. Waiting and asking stay within one budget.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping

TRIES = 3
BUDGET_S = 120.0
TIMEOUT_S = 30.0
"""Of one request, where the budget has that much left."""

_SECONDS = re.compile(r"[0-9]{1,9}")
_EPOCH = re.compile(r"[0-9]{1,12}")
_DOWN = frozenset({500, 502, 503, 504})


class Patience:
    """The time that is left for everything that one client asks."""

    def __init__(
        self,
        budget_s: float = BUDGET_S,
        *,
        elapsed: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._elapsed = elapsed
        self._now = now
        self._sleep = sleep
        self._end = elapsed() + budget_s

    @property
    def left(self) -> float:
        """Seconds; 0 where the budget is spent."""
        return max(0.0, self._end - self._elapsed())

    def pause(self, status: int, headers: Mapping[str, str], message: str, attempt: int) -> float | None:
        """Seconds after which to ask again; None where asking again would change nothing. `attempt` counts from 0."""
        after = headers.get("retry-after", "").strip()
        if status in _DOWN:
            return float(after) if _SECONDS.fullmatch(after) else 2.0**attempt
        if status not in (403, 429) or "not accessible" in message:
            return None
        if _SECONDS.fullmatch(after):
            return float(after)
        reset = headers.get("x-ratelimit-reset", "").strip()
        if headers.get("x-ratelimit-remaining", "").strip() == "0" and _EPOCH.fullmatch(reset):
            return max(0.0, float(reset) - self._now())
        if status == 429 or "secondary rate limit" in message.lower():
            return 60.0 * 2.0**attempt
        return None

    def sleep(self, seconds: float) -> bool:
        """Wait; False, at once, where the budget has not so much left."""
        if seconds >= self.left:
            return False
        self._sleep(seconds)
        return True
