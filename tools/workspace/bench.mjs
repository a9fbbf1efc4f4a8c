/** `npm run bench -- ARGUMENTS`: installs, builds, and runs the benchmarks with the arguments. */
import { run, withPinnedPnpm } from "./pinned-pnpm.mjs";
import { setUp } from "./set-up.mjs";

withPinnedPnpm(
  import.meta.url,
  () =>
    setUp() ||
    run("pnpm", ["--silent", "--filter", "@cfile-tools/bench", "run", "bench", ...process.argv.slice(2)]),
);
