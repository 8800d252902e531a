// What the agent does, in words: one line a tool call. A pure module.

const DOING = {
  search_local: ({ query }) => `Searching your library for “${query}”`,
  read_paper: ({ paper_id }) => `Reading ${paper_id}`,
  "Skill:knowledge.paper.read": ({ paper_id }) => `Studying ${paper_id}`,
  web_search: ({ query }) => `Searching the web for “${query}”`,
};

/** What a `tool_call` is about. */
export function doing({ name, args }) {
  return DOING[name]?.(args) ?? `Using ${name}`;
}

/** What a `tool_result` came to. */
export function outcome({ ok, content }) {
  if (!ok) return content?.error ?? "did not work";
  if (!content?.results) return content?.title ?? "done";
  const count = content.results.length;
  return count === 0 ? "nothing found" : count === 1 ? "1 found" : `${count} found`;
}
