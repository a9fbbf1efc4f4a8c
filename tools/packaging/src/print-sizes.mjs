/** `pnpm size`: the size of each entry and its budget. */
import { measureEntries } from "./entry-sizes.mjs";

const sizes = await measureEntries();
const width = Math.max(...sizes.map(({ entry }) => entry.length));
console.log(`${"entry point".padEnd(width)}  ${"gzip".padStart(8)}  ${"budget".padStart(8)}`);
for (const { entry, bytes, budget } of sizes) {
  const over = budget === undefined ? "  no budget" : bytes > budget ? "  OVER" : "";
  const limit = (budget ?? "-").toLocaleString("en");
  console.log(
    `${entry.padEnd(width)}  ${bytes.toLocaleString("en").padStart(8)}  ${limit.padStart(8)}${over}`,
  );
}
process.exitCode = sizes.some(({ bytes, budget }) => budget === undefined || bytes > budget) ? 1 : 0;
