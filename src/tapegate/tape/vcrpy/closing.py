"""vcrpy's patches, taken away whatever becomes of the cassette."""

from __future__ import annotations

from typing import Any

from vcr.cassette import CassetteContextDecorator

_FINISH = "_CassetteContextDecorator__finish"


class Closing(CassetteContextDecorator):  # type: ignore[misc]  # vcrpy has no types
    """The context of a cassette that ends also where saving fails.

    Stock vcrpy leaves its patches in place then: every later request of the process goes into that cassette.
    """

    def __exit__(self, *error: object) -> None:
        try:
            super().__exit__(*error)
        finally:
            finish = getattr(self, _FINISH)
            if finish is not None:
                finish.close()
                setattr(self, _FINISH, None)


def close_always(vcr: Any) -> None:
    """Let every context that `vcr` makes be a `Closing`."""
    made = vcr._use_cassette

    def use_cassette(*words: Any, **named: Any) -> Closing:
        context = made(*words, **named)
        return Closing(context.cls, context._args_getter)

    vcr._use_cassette = use_cassette
