"""A5, the critic: what of a verdict is read, in which order pairs come, and what reaches the threshold."""

from __future__ import annotations

from mutants.a4 import BARE_JSON_ONLY
from mutants.variant import Behaviour, Defect, Edit

DIFFERS = frozenset({"json_differs"})

FIRST_OF_TWO = Edit(
    "json_reply.py",
    "    return found[0] if len(found) == 1 else None\n",
    "    return found[0] if found else None\n",
)
UNREADABLE_IS_TEN = Edit(
    "rag/critic.py",
    '            return Judged(pair, _by_words(pair), "The model\'s verdict could not be read.", "fallback")\n',
    '            return Judged(pair, 10.0, "", "model")\n',
)
TRUE_IS_ONE = Edit("rag/critic.py", "isinstance(score, bool) or not isinstance(score, int | float)", "score is None")
NO_RANGE = Edit("rag/critic.py", " or not 0 <= score <= BEST:", ":")
NO_LOWEST = Edit("rag/critic.py", " or not 0 <= score <= BEST:", " or not 0 < score <= BEST:")
NO_HIGHEST = Edit("rag/critic.py", " or not 0 <= score <= BEST:", " or not 0 <= score < BEST:")
CUT = Edit("rag/critic.py", "    return float(score), ", "    return float(int(score)), ")
NO_REASON = Edit("rag/critic.py", '" ".join(reason.split()) if isinstance(reason, str) else ""', '""')
ANY_REASON = Edit(
    "rag/critic.py",
    '" ".join(reason.split()) if isinstance(reason, str) else ""',
    '" ".join(reason.split()) if reason else ""',
)
ANY_SCALE = Edit("rag/critic.py", r'(?:/\s*{BEST}\s*)?")', r'(?:/\s*\d+\s*)?")')
CUT_TEXT = Edit("rag/retriever.py", '"text": chunk.text}', '"text": chunk.text[:-1]}')
HALVED = Edit("rag/critic.py", "    return float(score), ", "    return float(score) / 2, ")
ALWAYS_FIVE = Edit(
    "rag/retriever.py", "        self._threshold = threshold\n", "        self._threshold = min(threshold, 5)\n"
)
ALL_KEPT = Edit("rag/retriever.py", "if both[1].score >= self._threshold),", "if both[1].score >= 0),")
TURNED_ROUND = Edit(
    "rag/retriever.py", "if both[1].score >= self._threshold),", "if both[1].score <= self._threshold),"
)
EXCLUSIVE = Edit("rag/retriever.py", "if both[1].score >= self._threshold),", "if both[1].score > self._threshold),")
NOT_ASKED = Edit(
    "rag/critic.py",
    "            verdict = parsed(await self._provider.say(request(pair), form=SCHEMA))\n",
    '            verdict = (7.0, "fine")\n',
)
ORDER = 'key=lambda one: (-one.score, one.origin == "fallback", one.pair.id)'
WORST_FIRST = Edit("rag/critic.py", ORDER, ORDER.replace("-one", "one"))
BY_ID = Edit("rag/critic.py", ORDER, "key=lambda one: one.pair.id")
NO_QUESTION = Edit("rag/critic.py", "## Question\\n\\n{pair.query}\\n\\n## Passage", "## Passage")
TWO_ALIKE = Edit("rag/critic.py", "await Critic(provider).ranked(pairs)]", "await Critic(provider).ranked(pairs[:1])]")
HUNDRED = Edit("rag/critic.py", '"score": score, "reason"', '"score": score * 10 + 11, "reason"')

NOTHING_READ = Edit("rag/critic.py", "    found = object_in(reply) or {}\n", "    found = object_in(reply[:1]) or {}\n")

ONE_LINE = Edit(
    "rag/critic.py",
    'json.dumps({"ranking": ranking}, ensure_ascii=False, indent=1)',
    'json.dumps({"ranking": ranking})',
)
FRACTIONS = Edit(
    "rag/critic.py",
    "        score = int(self.score) if self.score == int(self.score) else self.score\n",
    "        score = float(self.score)\n",
)
OTHER_WORDS = Edit("rag/critic.py", "The model's verdict could not be read.", "Unreadable; counted by words.")
FOUND_ON_ONE_LINE = Edit("rag/retriever.py", "json.dumps(shown, ensure_ascii=False, indent=1)", "json.dumps(shown)")
SHORT_REASON = Edit("rag/critic.py", '" ".join(reason.split())', '" ".join(reason.split()[:3])')

DEFECTS: tuple[Defect, ...] = (
    *(
        Defect(eval="RET-08@A5", name=name, kind="code", edits=(edit,), metric="schema_contract", codes=DIFFERS)
        for name, edit in (
            ("only bare JSON is read", BARE_JSON_ONLY),
            ("of two verdicts the first counts", FIRST_OF_TWO),
            ("what cannot be read is a ten", UNREADABLE_IS_TEN),
            ("true counts as a number", TRUE_IS_ONE),
            ("any number is a score", NO_RANGE),
            ("a score of 0 is none", NO_LOWEST),
            ("a score of 10 is none", NO_HIGHEST),
            ("fractions are cut", CUT),
            ("the model's reason is lost", NO_REASON),
            ("a score on another scale counts as it is", ANY_SCALE),
        )
    ),
    Defect(
        eval="RET-08@A5",
        name="a reason that is no text ends it",
        kind="code",
        edits=(ANY_REASON,),
        metric="schema_contract",
        codes=frozenset({"not_json"}),
    ),
    *(
        Defect(eval="AGT-11@A5", name=name, kind="code", edits=(edit,), metric="schema_contract", codes=DIFFERS)
        for name, edit in (
            ("everything is used", ALL_KEPT),
            ("the threshold is turned round", TURNED_ROUND),
            ("the threshold is exclusive", EXCLUSIVE),
            ("the critic is not asked", NOT_ASKED),
            ("the threshold that is set is ignored", ALWAYS_FIVE),
            ("passages lose their end", CUT_TEXT),
        )
    ),
    *(
        Defect(eval="AGT-12@A5", name=name, kind="code", edits=(edit,), metric="schema_contract", codes=DIFFERS)
        for name, edit in (
            ("the worst comes first", WORST_FIRST),
            ("pairs come by their id", BY_ID),
            ("scores are halved", HALVED),
        )
    ),
    Defect(
        eval="AGT-12@A5",
        name="the model is not told the question",
        kind="prompt",
        edits=(NO_QUESTION,),
        recorded=True,
        metric="schema_contract",
        codes=DIFFERS,
    ),
    *(
        Defect(eval="RET-07@A5", name=name, kind="code", edits=(edit,), metric="schema_contract", codes=DIFFERS)
        for name, edit in (("the worst comes first", WORST_FIRST), ("what the model says is not read", NOTHING_READ))
    ),
    *(
        Defect(eval="LOC-07@A5", name=name, kind="code", edits=(edit,), metric="schema_contract", codes=DIFFERS)
        for name, edit in (("a pair is lost", TWO_ALIKE), ("scores are out of range", HUNDRED))
    ),
    *(
        Defect(eval="LOC-08@A5", name=name, kind="code", edits=(edit,), metric="schema_contract", codes=DIFFERS)
        for name, edit in (("everything is used", ALL_KEPT), ("the threshold is turned round", TURNED_ROUND))
    ),
)

BEHAVIOURS: tuple[Behaviour, ...] = (
    *(
        Behaviour(eval=key, name=name, kind="code", edits=(edit,))
        for key in ("RET-07@A5", "RET-08@A5", "AGT-12@A5", "LOC-07@A5")
        for name, edit in (("JSON on one line", ONE_LINE), ("scores as 8.0", FRACTIONS))
    ),
    Behaviour(eval="RET-08@A5", name="other words for what cannot be read", kind="code", edits=(OTHER_WORDS,)),
    *(
        Behaviour(eval=key, name=name, kind="code", edits=(edit,))
        for key in ("AGT-11@A5", "LOC-08@A5")
        for name, edit in (("JSON on one line", FOUND_ON_ONE_LINE), ("scores as 8.0", FRACTIONS))
    ),
    Behaviour(eval="AGT-11@A5", name="another course of the model", kind="model", seed=44),
    Behaviour(eval="AGT-12@A5", name="shorter reasons", kind="code", edits=(SHORT_REASON,)),
)
