// Reads the dialect `mixed`: lines of `0:`, `d:` and `data:` with JSON behind them.

/** Yields `{kind, value}` for each line of an answer's body, as soon as it is whole. */
export async function* frames(body) {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop();
      yield* lines.filter(Boolean).map(frame);
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function frame(line) {
  const colon = line.indexOf(":");
  return { kind: line.slice(0, colon), value: JSON.parse(line.slice(colon + 1)) };
}
