/**
 * `npm run bench -- ARGUMENTS`: installs, builds, and runs the benchmarks with the arguments. With
 * `--against REF` it compares this build with another commit's.
 */
import { runBuilt } from "./set-up.mjs";

const args = process.argv.slice(2);
const script = args.some((arg) => /^--against(=|$)/.test(arg)) ? "against" : "bench";

runBuilt(import.meta.url, "pnpm", ["--silent", "--filter", "@cfile-tools/bench", "run", script, ...args]);
