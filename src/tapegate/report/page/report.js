"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent).tasks;
  const overview = document.getElementById("overview");
  const page = document.getElementById("task");
  const search = document.getElementById("search");
  const count = document.getElementById("count");
  const rows = [...document.querySelectorAll(".tasks tbody tr")];
  const buttons = [...document.querySelectorAll(".filters button")];

  // Every element is made here and every text set as text: nothing from a run is ever read as HTML.
  const make = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) if (value !== null && value !== "") node.setAttribute(name, value);
    for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
    return node;
  };
  const draw = (tag, attributes, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const keyOf = (row) => row.querySelector("a").textContent;
  const shown = () => rows.filter((row) => !row.hidden);

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const pressed = (name) => buttons.filter((one) => one.getAttribute("aria-pressed") === "true" && one.dataset[name] !== undefined).map((one) => one.dataset[name]);
    const verdicts = pressed("verdict");
    const kinds = pressed("kind");
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word)) || (verdicts.length > 0 && !verdicts.includes(row.dataset.v)) || (kinds.length > 0 && !kinds.includes(row.dataset.k));
    }
    count.textContent = `${shown().length} of ${rows.length}`;
  };

  const heading = (text) => make("h3", {}, text);
  const list = (pairs) => make("dl", {}, pairs.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));

  const change = (told) => {
    if (!told) return [];
    const lines = [["change", make("span", {}, make("b", { class: told.kind }, told.kind || "none"), ` ${told.turn}; ${told.stratum}`)]];
    if (told.was) lines.push(["was called", told.was]);
    if (told.byBase) lines.push(["by base's contract", make("b", { class: told.byBase }, told.byBase)]);
    if (told.dropped.length) lines.push(["no longer accepted", told.dropped.join(", ")]);
    for (const [place, before, after] of told.contract) lines.push([place, make("span", {}, before ? make("del", {}, before) : null, before && after ? " " : null, after ? make("ins", {}, after) : null)]);
    return [list(lines), told.byBaseFindings.length ? heading("What base's contract would say") : null, ...told.byBaseFindings.map((one) => finding(one, 0, ""))].filter(Boolean);
  };

  const finding = (one, number, prefix) => {
    const node = make("div", { class: `finding ${one.severity} ${one.mark}` }, make("p", { class: "what" }, (one.mark ? "gone: " : "") + one.what), make("p", { class: "where" }, one.where), make("p", {}, one.message), list(one.said));
    if (one.at && prefix) node.append(make("a", { href: "#", "data-mark": `${prefix}${number}` }, "show in the answer"));
    return node;
  };

  // The answer in pieces: what only one side said, and what a finding is about.
  const answer = (edits, findings, prefix) => {
    const marks = findings.map((one, number) => (one.at ? { start: one.at[0], end: one.at[1], id: `${prefix}${number}` } : null)).filter(Boolean).sort((a, b) => a.start - b.start);
    const node = make("p", { class: "answer" });
    let offset = 0;
    for (const [op, text] of edits) {
      const tag = { same: "span", removed: "del", added: "ins" }[op];
      if (op === "removed") { node.append(make(tag, {}, text)); continue; }
      let start = 0;
      const cuts = [...new Set(marks.flatMap((mark) => [mark.start - offset, mark.end - offset]).filter((cut) => cut > 0 && cut < text.length))].sort((a, b) => a - b);
      for (const cut of [...cuts, text.length]) {
        if (cut === start) continue;
        const piece = make(tag, {}, text.slice(start, cut));
        const over = marks.find((mark) => mark.start <= offset + start && offset + cut <= mark.end);
        node.append(over ? make("mark", { id: over.start === offset + start ? over.id : "" }, piece) : piece);
        start = cut;
      }
      offset += text.length;
    }
    return node;
  };

  const path = (edits, compared) => {
    const items = (side) => edits.filter(([op]) => op !== side).length ? edits.map(([op, tool]) => (op === side ? make("li", { "aria-hidden": "true" }, "\u00a0") : make("li", { class: op }, tool))) : [make("li", {}, "no tools")];
    if (!compared) return make("ol", { class: "path mono" }, edits.length ? edits.map(([, tool]) => make("li", {}, tool)) : make("li", {}, "no tools"));
    return make("div", { class: "two" }, make("div", {}, make("i", {}, "base"), make("ol", { class: "path mono" }, items("added"))), make("div", {}, make("i", {}, "head"), make("ol", { class: "path mono" }, items("removed"))));
  };

  const ms = (us) => (us < 1e6 ? `${Math.ceil(us / 1000)} ms` : `${(us / 1e6).toFixed(2)} s`);

  const timeline = (trial) => {
    const start = trial.chunks ? trial.chunks.start : Math.min(...trial.calls.map((call) => call[2]));
    const calls = trial.calls.map((call) => ({ name: call[0], status: call[1], at: call[2] - start, took: call[3], model: call[4], tokens: call[5] === null || call[6] === null ? "" : `, ${call[5]} tokens in, ${call[6]} out` }));
    const end = Math.max(trial.chunks ? trial.chunks.end : 0, ...calls.map((call) => call.at + call.took), 1);
    const width = 640, left = 8, span = width - 2 * left, height = calls.length * 30 + (trial.chunks ? 34 : 0) + 24;
    const x = (us) => left + (span * Math.max(us, 0)) / end;
    const parts = [];
    calls.forEach((call, number) => {
      const title = draw("title", {}, `${call.name} → ${call.status}: from ${ms(call.at)} for ${ms(call.took)}${call.tokens}`);
      const late = call.at > end / 2;
      parts.push(draw("text", { x: late ? x(call.at + call.took) : x(call.at), y: number * 30 + 11, "text-anchor": late ? "end" : "start", class: "tick" }, `${call.name} · ${ms(call.took)}`));
      parts.push(draw("rect", { x: x(call.at), y: number * 30 + 15, width: Math.max((span * call.took) / end, 2), height: 10, rx: 2, class: `bar ${call.model ? "model" : "tool"}` }, title));
    });
    const below = calls.length * 30 + 8;
    if (trial.chunks) trial.chunks.at.forEach((at, number) => parts.push(draw("path", { d: `M${x(at)} ${below}v18`, class: "chunk" }, draw("title", {}, `chunk ${number + 1}: ${trial.chunks.sizes[number]} bytes after ${ms(at)}`))));
    const foot = height - 6;
    parts.push(draw("path", { d: `M${left} ${foot - 12}h${span}`, class: "axis" }), draw("text", { x: left, y: foot, class: "tick" }, "question"), draw("text", { x: width - left, y: foot, "text-anchor": "end", class: "tick" }, ms(end)));
    const label = `${calls.length} ${calls.length === 1 ? "call" : "calls"}${trial.chunks ? ` and ${trial.chunks.at.length} ${trial.chunks.at.length === 1 ? "chunk" : "chunks"} of the answer, ended by ${trial.chunks.ended}` : ""}, in ${ms(end)} as recorded`;
    return make("figure", {}, make("figcaption", {}, label), draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...parts));
  };

  const WHO = { user: "user", text: "agent", call: "calls", result: "answers", failed: "fails", failure: "failure", violation: "violation", finish: "finished", data: "data", miss: "request without a recording" };
  const talk = (messages, events) => {
    const items = events.some(([kind]) => kind === "user") ? [] : messages.map((message) => ["user", message]);
    return make("ol", { class: "talk" }, [...items, ...events].map(([kind, ...rest]) => {
      if (kind === "text" || kind === "user") return make("li", {}, make("div", { class: "who" }, WHO[kind]), make("div", { class: "said" }, rest[0]));
      const [first, second] = rest;
      return make("li", { class: kind }, make("div", { class: "who" }, `${WHO[kind]}${second !== undefined || kind === "finish" ? ` ${first}` : ""}`), second !== undefined ? make("pre", {}, second) : kind === "finish" ? null : make("pre", {}, first));
    }));
  };

  const raw = (interactions) => {
    const node = make("details", { class: "raw" }, make("summary", {}, `Raw interactions (${interactions.length})`));
    // Built when it is asked for: thousands of long bodies cost nothing before.
    node.addEventListener("toggle", () => {
      if (node.children.length > 1) return;
      for (const one of interactions) node.append(make("h4", { class: "mono" }, `${one.title} · ${one.took} · ${one.chunks} ${one.chunks === 1 ? "chunk" : "chunks"}`), make("pre", {}, one.request || "(no body)"), make("pre", {}, one.response || "(no body)"));
    });
    return node;
  };

  const trialOf = (task, trial, number) => {
    const prefix = `mark-${number}-`;
    const node = make("section", { class: "trial" }, make("h2", {}, task.trials.length > 1 ? `Trial ${trial.n}: ` : "Result: ", make("b", { class: trial.verdict }, trial.verdict), trial.outcome ? ` · ${trial.outcome}` : "", trial.base ? make("i", {}, ` · base: ${trial.base.verdict}${trial.base.outcome ? ` · ${trial.base.outcome}` : ""}`) : null));
    const left = make("div", {});
    if (trial.answer) left.append(heading(trial.base ? "Answer, base to head" : "Answer"), answer(trial.answer, trial.findings, prefix));
    else left.append(heading("Answer"), make("p", {}, "Its text is not at hand: the traces do not lie beside the results."));
    const right = make("div", {}, heading("Findings"));
    if (trial.findings.length) trial.findings.forEach((one, place) => right.append(finding(one, place, prefix)));
    else right.append(make("p", {}, "None."));
    node.append(make("div", { class: "beside" }, left, right), heading("Tool path"), path(trial.path, Boolean(trial.base)));
    if (trial.deltas && trial.deltas.length) node.append(heading("Different numbers"), make("ul", {}, trial.deltas.map((line) => make("li", {}, line))));
    if (trial.calls.length || trial.chunks) node.append(heading("As it was recorded"), timeline(trial));
    if (trial.events) node.append(make("details", number === 0 ? { open: "open" } : {}, make("summary", {}, "Conversation"), talk(task.messages, trial.events)));
    if (trial.raw) node.append(raw(trial.raw));
    else if (trial.chunks) node.append(make("p", { class: "left" }, "The page has no room for these raw interactions; ", make("code", {}, "tapegate cassette show KEY"), " shows them."));
    node.append(make("details", {}, make("summary", {}, "Numbers"), list([...trial.numbers, ...(trial.recorded ? [["from", trial.recorded]] : [])])));
    return node;
  };

  let back = null;
  const show = () => {
    const key = decodeURIComponent(location.hash.slice(1));
    const row = rows.find((one) => keyOf(one) === key);
    overview.hidden = Boolean(row);
    page.hidden = !row;
    page.replaceChildren();
    if (!row) { if (back) back.querySelector("a").focus(); back = null; return; }
    back = row;
    const near = shown().includes(row) ? shown() : rows;
    const place = near.indexOf(row);
    const step = (by, name) => (near[place + by] ? make("a", { href: `#${encodeURIComponent(keyOf(near[place + by]))}`, rel: name }, name) : null);
    page.append(make("nav", { "aria-label": "Tasks" }, make("a", { href: "#" }, "all tasks"), step(-1, "previous"), step(1, "next"), make("span", {}, "Esc back · p previous · n next")), make("h1", {}, key));
    const task = data[key];
    if (!task) page.append(make("p", {}, "This page has no room for this task. Its result stands in results.json, its conversation in traces/ beside it."));
    else {
      const about = [["file", make("code", {}, task.file)], ["blocks", task.blocking ? "yes" : "no"]];
      if (task.messages.length) about.push(["asks", make("div", { class: "said" }, task.messages.join("\n\n"))]);
      page.append(list(about), ...change(task.change), ...task.trials.map((trial, number) => trialOf(task, trial, number)));
    }
    page.focus();
    scrollTo(0, 0);
  };

  page.addEventListener("click", (event) => {
    const id = event.target.dataset && event.target.dataset.mark;
    if (!id) return;
    event.preventDefault();
    const mark = document.getElementById(id);
    document.querySelectorAll("mark.on").forEach((one) => one.classList.remove("on"));
    mark.classList.add("on");
    mark.scrollIntoView({ block: "center" });
  });
  buttons.forEach((one) => one.addEventListener("click", () => { one.setAttribute("aria-pressed", String(one.getAttribute("aria-pressed") !== "true")); filter(); }));
  search.addEventListener("input", filter);
  addEventListener("hashchange", show);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { if (document.activeElement === search) search.blur(); else if (!page.hidden) location.hash = ""; return; }
    if (document.activeElement === search) { if (event.key === "Enter" && shown()[0]) shown()[0].querySelector("a").click(); return; }
    if (event.key === "/") { event.preventDefault(); location.hash = ""; search.focus(); search.select(); return; }
    if (!page.hidden) {
      const link = { n: "next", p: "previous" }[event.key] && page.querySelector(`a[rel=${{ n: "next", p: "previous" }[event.key]}]`);
      if (link) link.click();
      return;
    }
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const links = shown().map((row) => row.querySelector("a"));
    const next = links[Math.min(Math.max(links.indexOf(document.activeElement) + step, 0), links.length - 1)];
    if (next) { event.preventDefault(); next.focus(); next.scrollIntoView({ block: "nearest" }); }
  });
  filter();
  show();
})();
