// `node hint-command.mjs [TEXT…]`: prints what the page would send for TEXT, or for what stands on standard input.

import { readFileSync } from "node:fs";
import { withHint } from "./hint.mjs";

const given = process.argv.slice(2);
process.stdout.write(withHint(given.length ? given.join(" ") : readFileSync(0, "utf8")));
