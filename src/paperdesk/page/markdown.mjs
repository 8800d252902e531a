// The little Markdown that answers hold, as data: blocks of spans. A pure module; `view.mjs` makes elements of it.

const LINK = /\[([^\]\n]+)\]\(([^()\s]+)\)/;
const PAGE = /(https?:\/\/[^\s<>()]*[^\s<>().,;:!?"'])/;
const BOLD = /\*\*([^*\n]+)\*\*/;
const CODE = /`([^`\n]+)`/;
const INLINE = new RegExp([LINK, PAGE, BOLD, CODE].map((part) => part.source).join("|"), "g");
const UNFINISHED_LINK = /\[([^\]\n]*)(\](\([^()\s]*)?)?$/;

/** Where a link may lead: to a paper of the library, or to a page of the web. */
const SAFE = /^(\/paper\/[\w.-]+|https?:\/\/\S+)$/;

const LINES = [
  ["h", /^#{1,6} +(.+)$/],
  ["ul", /^\s*[-*•] +(.+)$/],
  ["ol", /^\s*\d+[.)] +(.+)$/],
  ["p", /^(.*)$/],
];

/**
 * `text` as blocks, `{kind: "p" | "h" | "ul" | "ol", lines: [spans, …]}`.
 * `open`: more of it is to come, so that a link whose end is still missing shows as its title.
 */
export function blocks(text, open = false) {
  const found = [];
  let last = null;
  for (const line of (open ? text.replace(UNFINISHED_LINK, "$1") : text).split("\n")) {
    if (!line.trim()) {
      last = null;
      continue;
    }
    const [kind, shape] = LINES.find(([, shape]) => shape.test(line));
    if (last?.kind !== kind || kind === "h") found.push((last = { kind, lines: [] }));
    last.lines.push(spans(line.match(shape)[1]));
  }
  return found;
}

/** A line as spans, `{text}` with `href`, `bold` or `code` where it is that. */
export function spans(line) {
  const found = [];
  let from = 0;
  for (const match of line.matchAll(INLINE)) {
    const [whole, title, href, page, bold, code] = match;
    if (match.index > from) found.push({ text: line.slice(from, match.index) });
    if (title && SAFE.test(href)) found.push({ text: title, href });
    else if (page) found.push({ text: page, href: page });
    else if (bold) found.push({ text: bold, bold: true });
    else if (code) found.push({ text: code, code: true });
    else found.push({ text: whole });
    from = match.index + whole.length;
  }
  if (from < line.length) found.push({ text: line.slice(from) });
  return found;
}
