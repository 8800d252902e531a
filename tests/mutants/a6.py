"""A6, the bridge and the graph: what becomes of models that fail, and what each mode answers."""

from __future__ import annotations

from mutants.variant import Behaviour, Defect, Edit

DIFFERS = frozenset({"json_differs"})

SILENT = Edit("rag/bridge.py", "embedder.MODEL, fallback)", "embedder.MODEL, None)")
CLAIMS_THE_MODEL = Edit("rag/bridge.py", "embedder.MODEL, fallback)", "self._model or embedder.MODEL, fallback)")
EMPTY_VECTORS = Edit(
    "rag/bridge.py",
    "tuple(tuple(embedder.embedded(text)) for text in texts)",
    'tuple(tuple(embedder.embedded("")) for _ in texts)',
)
SWALLOWED = Edit(
    "rag/query.py",
    '            response.error = {"code": "completion_failed", "message": str(error)}\n',
    "            str(error)\n",
)
NO_PAPERS = Edit(
    "rag/query.py",
    '            links = ", ".join(dict.fromkeys(',
    '            links = "" and ", ".join(dict.fromkeys(',
)
SAYS_IT_ALL = Edit(
    "rag/bridge.py",
    'raise AnswerError(f"The model failed ({type(error).__name__}). Please try again.") from error',
    "raise AnswerError(repr(error)) from error",
)
ONE_MESSAGE = Edit("rag/query.py", '"message": str(error)}', '"message": "The model could not be reached."}')
IN_JSON_ALONE = Edit("rag/query.py", '        yield stream.error(response.error["message"])\n', "        pass\n")
AS_IF_WHOLE = Edit("rag/query.py", '"error" if response.error else "stop"', '"stop"')
TAG_STAYS_OPEN = Edit("rag/query.py", "            answer.cut()\n", "            answer.pause()\n")
OTHER_CODE = Edit("rag/query.py", '"code": "completion_failed"', '"code": type(error).__name__')
ALWAYS_HYBRID = Edit(
    "rag/query.py",
    "    return Response(mode or DEFAULT, message.strip())\n",
    "    return Response(DEFAULT, message.strip())\n",
)
A_FIELD_MORE = Edit(
    "rag/response.py",
    "    topics: list[str] = field(default_factory=list)\n",
    '    topics: list[str] = field(default_factory=list)\n    more: str = ""\n',
)
NO_SCORES = Edit("rag/modes.py", '"text": chunk.text, "score": score}', '"text": chunk.text}')
NO_TEXTS = Edit("rag/modes.py", '"text": chunk.text, "score": score}', '"text": "", "score": score}')
NO_TITLES = Edit("rag/modes.py", '"title": chunk.title, "text"', '"title": "", "text"')
ALL_CITED = Edit("rag/query.py", '        if f"(/paper/{paper_id})" in answer.text\n', "")
NO_TOPICS = Edit(
    "rag/modes.py",
    "        return [term for term in dict.fromkeys(terms(query)) if term in known]\n",
    "        return []\n",
)
ONE_KIND_OF_TOPICS = Edit("rag/modes.py", '        if mode == "global":\n', "        if not query:\n")
WITHOUT_THEMES = Edit("rag/modes.py", 'in ("naive", "local", "global")', 'in ("naive", "local")')
LOCAL_IS_NAIVE = Edit(
    "rag/modes.py",
    "                return self._local(query, near)\n",
    "                return _ranked((chunk, near[chunk.id]) for chunk in self._chunks)\n",
)
GLOBAL_IS_NAIVE = Edit(
    "rag/modes.py",
    "                return self._global(near)\n",
    "                return _ranked((chunk, near[chunk.id]) for chunk in self._chunks)\n",
)
ANY_BACKEND = "            except Exception as error:  # noqa: BLE001 - whatever a backend dies of, there are vectors\n"
SOME_BACKENDS = Edit("rag/bridge.py", ANY_BACKEND, "            except RuntimeError as error:\n")
SOME_FAILURES = Edit(
    "rag/bridge.py",
    "        except Exception as error:  # whatever a",
    "        except RuntimeError as error:  # whatever a",
)
ONE_REASON = Edit(
    "rag/bridge.py",
    "                fallback = str(error)\n",
    '                fallback = "The model could not be reached."\n',
)
RAW_REASON = Edit("rag/bridge.py", "The embedding model failed ({type(error).__name__}).", "The model failed: {error}")
SPOILT_CACHE = Edit(
    "rag/bridge.py",
    "        return Vectors(tuple(tuple(embedder.embedded(text)) for text in texts), embedder.MODEL, fallback)\n",
    "        local = {text: embedder.embedded(text) for text in texts}\n"
    "        with self._db:\n"
    "            self._db.executemany(\n"
    '                "INSERT INTO embeddings (model, sha256, vector) VALUES (?, ?, ?)",\n'
    "                [(self._model, hashlib.sha256(t.encode()).hexdigest(), json.dumps(local[t])) for t in local],\n"
    "            )\n"
    "        return Vectors(tuple(tuple(local[text]) for text in texts), embedder.MODEL, fallback)\n",
)
ENDS_EARLY = Edit("provider.py", "        if into.finish_reason is None:\n", "        if not into.content:\n")
NO_ANSWER = Edit("rag/query.py", "    response.answer = answer.text\n", '    response.answer = ""\n')
ONE_TEXT = Edit("rag/modes.py", '"text": chunk.text, "score": score}', '"text": ranking[-1][0].text, "score": score}')
NAIVE = Edit("rag/query.py", 'DEFAULT: Mode = "hybrid"\n', 'DEFAULT: Mode = "naive"\n')
NO_FINISH = Edit("rag/query.py", '    yield stream.finish("error" if response.error else "stop")\n', "")
NO_RESPONSE = Edit("rag/query.py", '    yield stream.data("response", **response.shown())\n', "")

ONE_LINE = Edit(
    "rag/query.py", "json.dumps(response.shown(), ensure_ascii=False, indent=1)", "json.dumps(response.shown())"
)
OTHER_WORDS = Edit(
    "rag/query.py", "These papers of your library fit the question best: {links}.", "Have a look at {links}."
)
OTHER_EXCUSE = Edit("rag/query.py", '"message": str(error)}', '"message": f"{error} Nothing is lost."}')
OTHER_CALL = Edit(
    "rag/query.py",
    'yield stream.tool_call("call_1", "retrieve", {"mode": mode, "query": response.query})',
    'yield stream.tool_call("call_1", "retrieve", {"query": response.query, "mode": mode, "from": "library"})',
)
FEWER_PASSAGES = Edit("rag/modes.py", "CONTEXTS = 4\n", "CONTEXTS = 3\n")
CLOSING = Edit(
    "rag/query.py",
    "    response.answer = answer.text\n",
    '    answer.pause()\n    yield stream.text(answer.add("So they say."))\n    response.answer = answer.text\n',
)

DEFECTS: tuple[Defect, ...] = (
    *(
        Defect(eval="AGT-07@A6", name=name, kind="code", edits=(edit,), metric="schema_contract", codes=DIFFERS)
        for name, edit in (
            ("nobody hears of the fallback", SILENT),
            ("local vectors are told as the model's", CLAIMS_THE_MODEL),
            ("all vectors are zero", EMPTY_VECTORS),
            ("every failure is told in the same words", ONE_REASON),
        )
    ),
    Defect(
        eval="AGT-07@A6",
        name="a backend that is not there ends it",
        kind="code",
        edits=(SOME_BACKENDS,),
        metric="schema_contract",
        codes=frozenset({"not_json"}),
    ),
    Defect(
        eval="AGT-07@A6",
        name="the user reads the exception",
        kind="code",
        edits=(RAW_REASON,),
        metric="output_hygiene",
        codes=frozenset({"forbidden_pattern"}),
    ),
    Defect(
        eval="AGT-07@A6",
        name="local vectors are kept as the model's",
        kind="SQL",
        edits=(SPOILT_CACHE,),
        metric="db_state",
        codes=frozenset({"row_count"}),
    ),
    *(
        Defect(eval="AGT-13@A6", name=name, kind="code", edits=(edit,), metric="schema_contract", codes=DIFFERS)
        for name, edit in (
            ("the error is swallowed", SWALLOWED),
            ("no paper is named", NO_PAPERS),
            ("the error has another code", OTHER_CODE),
            ("every failure is told in the same words", ONE_MESSAGE),
            ("a hidden tag left open hides the papers", TAG_STAYS_OPEN),
            ("an answer that ends early counts as whole", ENDS_EARLY),
        )
    ),
    Defect(
        eval="AGT-13@A6",
        name="some failures are not told at all",
        kind="code",
        edits=(SOME_FAILURES,),
        metric="schema_contract",
        codes=frozenset({"not_json"}),
    ),
    *(
        Defect(
            eval="AGT-13@A6",
            name=name,
            kind="code",
            edits=(edit,),
            metric="orchestration_contract",
            codes=frozenset({"part_missing"}),
        )
        for name, edit in (
            ("the failure is told in the JSON alone", IN_JSON_ALONE),
            ("the stream finishes as if nothing had failed", AS_IF_WHOLE),
        )
    ),
    Defect(
        eval="AGT-13@A6",
        name="the user reads the exception",
        kind="code",
        edits=(SAYS_IT_ALL,),
        metric="output_hygiene",
        codes=frozenset({"forbidden_pattern"}),
    ),
    Defect(
        eval="AGT-14@A6",
        name="every mode is hybrid",
        kind="code",
        edits=(ALWAYS_HYBRID,),
        recorded=True,
        metric="schema_contract",
        codes=DIFFERS,
    ),
    *(
        Defect(
            eval="AGT-14@A6",
            name=name,
            kind="schema",
            edits=(edit,),
            metric="schema_contract",
            codes=frozenset({"schema_broken"}),
        )
        for name, edit in (
            ("the response has a field more", A_FIELD_MORE),
            ("scores are lost", NO_SCORES),
            ("texts are empty", NO_TEXTS),
            ("titles are empty", NO_TITLES),
        )
    ),
    *(
        Defect(
            eval="AGT-14@A6",
            name=name,
            kind="code",
            edits=(edit,),
            recorded=True,
            metric="schema_contract",
            codes=DIFFERS,
        )
        for name, edit in (
            ("local finds as naive does", LOCAL_IS_NAIVE),
            ("global finds as naive does", GLOBAL_IS_NAIVE),
            ("hybrid leaves the themes out", WITHOUT_THEMES),
        )
    ),
    *(
        Defect(eval="AGT-14@A6", name=name, kind="code", edits=(edit,), metric="schema_contract", codes=DIFFERS)
        for name, edit in (
            ("every passage is a citation", ALL_CITED),
            ("a question has no topics", NO_TOPICS),
            ("topics are the question's in every mode", ONE_KIND_OF_TOPICS),
            ("the answer is not in the response", NO_ANSWER),
            ("all passages have the text of one", ONE_TEXT),
        )
    ),
    Defect(
        eval="AGT-14@A6",
        name="naive where no mode is named",
        kind="code",
        edits=(NAIVE,),
        recorded=True,
        metric="schema_contract",
        codes=DIFFERS,
    ),
    *(
        Defect(
            eval=key,
            name=name,
            kind="code",
            edits=(edit,),
            metric="orchestration_contract",
            codes=frozenset({"part_missing"}),
        )
        for key in ("LOC-09@A6", "LOC-10@A6")
        for name, edit in (("the stream ends without its finish", NO_FINISH), ("the response is not told", NO_RESPONSE))
    ),
)

BEHAVIOURS: tuple[Behaviour, ...] = (
    *(
        Behaviour(eval=key, name="JSON on one line", kind="code", edits=(ONE_LINE,))
        for key in ("AGT-07@A6", "AGT-13@A6", "AGT-14@A6")
    ),
    *(
        Behaviour(eval=key, name="says that it looks in the library", kind="tool", edits=(OTHER_CALL,))
        for key in ("AGT-07@A6", "AGT-14@A6", "LOC-09@A6", "LOC-10@A6")
    ),
    *(
        Behaviour(eval=key, name="one passage fewer", kind="code", edits=(FEWER_PASSAGES,), recorded=True)
        for key in ("AGT-07@A6", "AGT-14@A6")
    ),
    Behaviour(eval="AGT-13@A6", name="other words for the papers", kind="code", edits=(OTHER_WORDS,)),
    Behaviour(eval="AGT-13@A6", name="other words for the error", kind="code", edits=(OTHER_EXCUSE,)),
    *(
        Behaviour(eval=key, name="a closing sentence", kind="code", edits=(CLOSING,))
        for key in ("LOC-09@A6", "LOC-10@A6")
    ),
)
