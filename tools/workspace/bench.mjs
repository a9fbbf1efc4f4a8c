/**
 * `npm run bench -- ARGUMENTS`: installs, builds, and runs the benchmarks with the arguments. With
 * `--against REF` it compares this build with another commit's.
 */
import { run, withPinnedPnpm } from "./pinned-pnpm.mjs";
import { setUp } from "./set-up.mjs";

const args = process.argv.slice(2);
const script = args.some((arg) => /^--against(=|$)/.test(arg)) ? "against" : "bench";

withPinnedPnpm(
  import.meta.url,
  () => setUp() || run("pnpm", ["--silent", "--filter", "@cfile-tools/bench", "run", script, ...args]),
);
