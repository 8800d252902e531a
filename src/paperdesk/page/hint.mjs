// The local-first hint. The page adds it to what the user types; the service keeps the user's own words only.
// A pure module: it runs in the browser and in Node alike.

export const HINT =
  "Local first: look in my library before any other source, the web last. When you report findings, begin with " +
  '"From your library:" or, where they come from elsewhere or there are none, with "Not in your library:".';

/** What is sent for what the user typed; nothing for nothing. */
export function withHint(text) {
  const words = text.trim();
  return words && `${words}\n\n<hint>${HINT}</hint>`;
}
