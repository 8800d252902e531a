"""The tool policy: one rule a line, given to the model word for word."""

TOOL_POLICY: tuple[str, ...] = (
    "Local first: look in the user's library before any other source.",
    "Read before citing: cite a local paper only after one of the reading tools has returned it.",
    "Citations: link every local paper that you use as [title](/paper/{id}).",
    "Web last: call web_search only when the library has nothing on the question or the user asks for the web;"
    " link every web page that you use by its URL.",
    "Honesty: say plainly when nothing was found; never fill the gap with a guess.",
    "Privacy: never reveal file paths, or anything that stands in <private> or <thinking> tags.",
)
