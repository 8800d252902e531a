// What the page sends for what the user types. A pure module: it runs in the browser and in Node alike.

import { withHint } from "./hint.mjs";

/** The body of a request to the chat; null where nothing was typed. */
export function request(text, sessionId = null) {
  const message = withHint(text);
  return message ? JSON.stringify({ message, ...(sessionId && { session_id: sessionId }) }) : null;
}
