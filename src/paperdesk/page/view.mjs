// Elements for what was said. Text enters as text nodes only: whatever a model writes, it is never read as HTML.

import { blocks } from "./markdown.mjs";

const TAGS = { p: "p", h: "h3", ul: "ul", ol: "ol" };

/** An element with properties, and with children that are elements or texts. */
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Show Markdown in `into`. What stood there already and is still the same keeps its elements, focus and all. */
export function show(into, text, open = false) {
  const wanted = blocks(text, open);
  wanted.forEach((block, place) => {
    const there = into.children[place];
    const source = JSON.stringify(block);
    if (there?.source === source) return;
    const made = Object.assign(blockElement(block), { source });
    if (there) there.replaceWith(made);
    else into.append(made);
  });
  while (into.children.length > wanted.length) into.lastChild.remove();
}

function blockElement({ kind, lines }) {
  const made = element(TAGS[kind]);
  lines.forEach((line, place) => {
    if (kind === "ul" || kind === "ol") made.append(element("li", {}, ...line.map(span)));
    else made.append(...(place ? [element("br")] : []), ...line.map(span));
  });
  return made;
}

function span({ text, href, bold, code }) {
  if (href?.startsWith("/")) return element("a", { href, className: "citation" }, text);
  if (href) return element("a", { href, target: "_blank", rel: "noopener noreferrer" }, text);
  return bold ? element("strong", {}, text) : code ? element("code", {}, text) : document.createTextNode(text);
}

/** A question, as the user typed it. */
export function question(text) {
  const heading = element("h2", { className: "unseen" }, "You");
  return element("article", { className: "question" }, heading, element("p", {}, text));
}

/** An answer that is still to come: its item, and what fills it. */
export function answer() {
  const steps = element("ul", { className: "steps" });
  const text = element("div", { className: "text" });
  const heading = element("h2", { className: "unseen" }, "Paperdesk");
  const item = element("article", { className: "answer" }, heading, steps, text);
  const running = new Map();
  let whole = "";
  return {
    item,
    busy: (yes) => item.setAttribute("aria-busy", String(yes)),
    /** A tool runs. */
    step(id, words) {
      running.set(id, steps.appendChild(element("li", { className: "running" }, words)));
    },
    /** A tool has answered. */
    stepped(id, words, ok) {
      const step = running.get(id);
      step?.classList.replace("running", ok ? "done" : "failed");
      step?.append(element("span", { className: "outcome" }, ` – ${words}`));
    },
    /** More of the text has come. */
    add(piece) {
      whole += piece;
      show(text, whole, true);
    },
    /** No more will come. */
    end() {
      show(text, whole);
      for (const step of steps.querySelectorAll(".running")) step.classList.replace("running", "failed");
    },
    /** It failed: say why, and offer what to do. */
    fail(message, again) {
      const retry = element("button", { type: "button" }, "Try again");
      const problem = element("div", { className: "problem", role: "alert" }, element("p", {}, message), retry);
      retry.addEventListener("click", () => {
        retry.remove();
        again();
      });
      item.append(problem);
    },
  };
}
