"""A stand-in for a model provider: an OpenAI-compatible server that acts by rules. It is no language model.

What it does follows from what it is *given*: the system prompt's policy, preferences and library overview, the tools
offered, the messages, the tool results, the JSON Schema wanted, and the seed. It knows no paper and no question. Take a
line out of the policy, and it no longer keeps to it.

It holds conversations with tools (`rules`, `answering`), sums up preferences (`summing`), fills in JSON Schemas
(`forming`: descriptions of papers, verdicts on passages), answers from passages that a message brings along, and makes
embeddings (`embedding`).

The seed chooses among courses that are equally good. Its last bit picks the reading tool, whether a question that
the library does not answer goes on to the web or comes back to the user, and the phrasing; the bit before that,
whether a paper whose title answers to the question is read at once (set) or searched for first. What the two bits do
elsewhere, `summing` and `forming` say. A text may ask for a malformed reply, and gets it: see `forming`.
"""
