// `node request-command.mjs [TEXT…]`: prints the body that the page would send for TEXT, or for what stands on standard
// input; nothing for nothing.

import { readFileSync } from "node:fs";
import { request } from "./request.mjs";

const given = process.argv.slice(2);
process.stdout.write(request(given.length ? given.join(" ") : readFileSync(0, "utf8")) ?? "");
