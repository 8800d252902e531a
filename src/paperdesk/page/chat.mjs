// The chat page: sends what the user types with the local-first hint, shows the answer while it arrives.

import { doing, outcome } from "./activity.mjs";
import { request } from "./request.mjs";
import { frames } from "./stream.mjs";
import { answer, element, question, show } from "./view.mjs";

const log = document.querySelector("#log");
const form = document.querySelector("#ask");
const input = form.elements.message;
const button = form.querySelector("button");
const status = document.querySelector("#status");

let sessionId = null;
let stopping = null; // aborts the answer that is being streamed

async function send(text) {
  const body = request(text, sessionId);
  if (!body || stopping) return;
  document.body.classList.add("talking");
  log.append(question(text.trim()));
  const shown = answer();
  log.append(shown.item);
  turnBusy(shown, new AbortController());
  try {
    await hear(shown, body);
    announce("The answer is complete.");
  } catch (error) {
    if (error.name === "AbortError") announce("Stopped.");
    else shown.fail(kindly(error), () => (input.focus(), send(text)));
  } finally {
    shown.end();
    turnBusy(shown, null);
  }
}

async function hear(shown, body) {
  const headers = { "content-type": "application/json" };
  const response = await fetch("/api/chat", { method: "POST", headers, body, signal: stopping.signal });
  if (!response.ok) throw new Refusal((await response.json()).error.message);
  let finished = false;
  for await (const { kind, value } of frames(response.body)) {
    if (kind === "0") shown.add(value);
    else if (value.type === "tool_call") {
      shown.step(value.id, doing(value));
      announce(doing(value));
    } else if (value.type === "tool_result") shown.stepped(value.id, outcome(value), value.ok);
    else if (value.type === "session") await keep(value.session_id);
    else if (value.type === "error") throw new Refusal(value.message);
    else if (value.type === "finish") finished = true;
    follow(shown.item);
  }
  if (!finished) throw new Refusal("The answer broke off. Please try again.");
}

/** Something that the service says of itself, in words for the user. */
class Refusal extends Error {}

function kindly(error) {
  if (error instanceof Refusal) return error.message;
  if (error instanceof TypeError) return "Paperdesk cannot be reached. Is it still running?"; // what fetch throws
  return "The answer broke off. Please try again.";
}

function turnBusy(shown, controller) {
  stopping = controller;
  shown.busy(Boolean(controller));
  button.textContent = controller ? "Stop" : "Ask";
}

function announce(words) {
  status.textContent = words;
}

/** Keep what is new in sight, unless the user has scrolled up to read. */
function follow(item) {
  const below = document.documentElement.scrollHeight - window.scrollY - window.innerHeight;
  if (below < 160) item.scrollIntoView({ block: "end" });
}

/** Each tab has a session of its own; a duplicated tab finds its session taken, and begins another. */
async function keep(id) {
  if (sessionId === id) return;
  if (await claimed(id)) sessionStorage.setItem("session", id);
  sessionId = id;
}

function claimed(id) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((tell) => {
    navigator.locks.request(`paperdesk ${id}`, { ifAvailable: true }, (lock) => {
      tell(Boolean(lock));
      return lock && new Promise(() => {}); // held as long as the tab is there
    });
  });
}

/** What was said in this tab before it was reloaded, or left for a paper. */
async function restore() {
  const id = sessionStorage.getItem("session");
  if (!id || !(await claimed(id))) return sessionStorage.removeItem("session");
  const response = await fetch(`/api/sessions/${encodeURIComponent(id)}/messages`);
  if (!response.ok) return;
  sessionId = id;
  for (const { role, content } of (await response.json()).messages) {
    document.body.classList.add("talking");
    if (role === "user") log.append(question(content));
    else {
      const shown = answer();
      shown.add(content);
      shown.end();
      log.append(shown.item);
    }
  }
  log.lastElementChild?.scrollIntoView({ block: "end" });
}

async function listPapers() {
  const { papers } = await (await fetch("/api/papers")).json();
  document.querySelector("#count").textContent = papers.length === 1 ? "1 paper" : `${papers.length} papers`;
  for (const { id, title, authors, year } of papers) {
    const link = element("a", { href: `/paper/${id}` }, title);
    document.querySelector("#papers").append(element("li", {}, link, element("span", {}, ` ${authors}, ${year || "n.d."}`)));
  }
  const some = papers.filter((_, place) => place % Math.ceil(papers.length / 3) === 0);
  for (const { title } of some) {
    const example = element("button", { type: "button" }, `What does “${title}” find?`);
    example.addEventListener("click", () => send(example.textContent));
    document.querySelector("#examples").append(element("li", {}, example));
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (stopping) return stopping.abort();
  if (input.value.trim()) send(input.value);
  input.value = "";
  input.focus();
});

input.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (!stopping) form.requestSubmit();
});

document.querySelector("#new").addEventListener("click", () => {
  stopping?.abort();
  sessionId = null;
  sessionStorage.removeItem("session");
  log.replaceChildren();
  document.body.classList.remove("talking");
  announce("A new conversation.");
  input.focus();
});

await Promise.allSettled([restore(), listPapers()]);
