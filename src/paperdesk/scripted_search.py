"""A stand-in for a web-search service, over a few invented pages. `python -m paperdesk.scripted_search`.

`GET /search?q=…` answers `{"results": [{"title", "url", "snippet"}]}`, best first, always the same for the same query.
No page exists: every host ends in `.example`, which is reserved for that (RFC 2606).
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import asdict, dataclass

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from paperdesk.loopback import serve

LIMIT = 3


@dataclass(frozen=True, slots=True)
class Page:
    """An invented page of the web."""

    title: str
    url: str
    snippet: str


PAGES = (
    Page(
        "Keeping a Sourdough Starter Through the Summer",
        "https://bread-notes.example/sourdough-summer",
        "A sourdough starter kept at 30 degrees needs feeding every 7 hours. Rye flour slows a starter down by about"
        " a fifth, and a pinch of salt by a third.",
    ),
    Page(
        "Why Lighthouse Lenses Are Cut in Rings",
        "https://coastal-optics.example/lighthouse-lens-rings",
        "A lighthouse lens in rings weighs 580 kilograms where a solid one would weigh six tonnes. The ring profile"
        " was first polished in 1822.",
    ),
    Page(
        "How Long Saffron Keeps",
        "https://spice-cupboard.example/saffron-storage",
        "Saffron threads keep their colour for 28 months in a tin, and for 9 months in clear glass. Ground saffron"
        " loses half of its scent in a year.",
    ),
    Page(
        "Tuning a Harpsichord by Ear",
        "https://early-keyboards.example/harpsichord-tuning",
        "A harpsichord drifts by 4 cents for each degree of room temperature. Tuning by ear begins with the A below"
        " middle C and takes 40 minutes.",
    ),
    Page(
        "The Paper Route of the Old Balloon Post",
        "https://post-history.example/balloon-post",
        "The balloon post carried 66 sacks of letters over the siege lines in one winter. Each letter had to weigh"
        " less than 4 grams.",
    ),
    Page(
        "Choosing Gravel for a Model Railway",
        "https://small-trains.example/gravel",
        "Gravel for a model railway in scale H0 should pass a sieve of 0.8 millimetres. Crushed walnut shell is"
        " lighter but swells in damp rooms.",
    ),
    Page(
        "Caring for a Glass Aquarium in Winter",
        "https://fishkeepers.example/winter-aquarium",
        "An aquarium of 200 litres cools by one degree an hour once its heater fails. A lid halves the loss.",
    ),
    Page(
        "Tidal Power in a Nutshell",
        "https://energy-basics.example/tidal-power",
        "Tidal turbines turn the flow of the tide into electricity. Salt and sand wear the blades of estuary turbines,"
        " and most owners replace a coating every four years.",
    ),
    Page(
        "Green Walls for Cooler Streets",
        "https://city-gardening.example/green-walls",
        "Moss and ivy walls cool bus stops and shelters on summer evenings. Suppliers claim two to five degrees at"
        " night, depending on the water they get.",
    ),
    Page(
        "Helping Wild Bees",
        "https://garden-friends.example/wild-bees",
        "Three wild bees in four nest in the ground. A bare patch of sandy soil in the sun is worth more to"
        " ground-nesting bees than any bee hotel.",
    ),
    Page(
        "Snow Fences on Mountain Roads: a Photo Walk",
        "https://pass-roads.example/snow-fences",
        "Wooden snow fences stand along many mountain roads. Their height is usually a little over two metres.",
    ),
)


def find(query: str) -> tuple[Page, ...]:
    """The pages that share words with `query`: most shared first, then by URL."""
    words = {_stem(word) for word in re.findall(r"[^\W_]{4,}", query.lower())}
    scores = {page: len(words & {_stem(word) for word in _words(page)}) for page in PAGES}
    ranked = sorted(PAGES, key=lambda page: (-scores[page], page.url))
    return tuple(page for page in ranked if scores[page])[:LIMIT]


def _words(page: Page) -> list[str]:
    return re.findall(r"[^\W_]{4,}", f"{page.title} {page.snippet}".lower())


def _stem(word: str) -> str:
    return word.removesuffix("s")


def create_app() -> Starlette:
    """The application."""

    async def search(request: Request) -> Response:
        query = request.query_params.get("q", "")
        if not query.strip():
            return JSONResponse({"error": "'q' is missing: expected /search?q=words"}, status_code=400)
        return JSONResponse({"results": [asdict(page) for page in find(query)]})

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    return Starlette(routes=[Route("/search", search), Route("/health", health)])


def main() -> int:
    """Serve on 127.0.0.1 until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m paperdesk.scripted_search", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one (default: %(default)s)")
    options = parser.parse_args()
    try:
        serve(create_app(), "127.0.0.1", options.port, "scripted web search (invented pages)")
    except OSError as error:
        print(f"scripted_search: port {options.port} cannot be used: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
