/** `npm start`: installs, builds and runs the demo. Arguments after `--` are passed to the demo. */
import { run, withPinnedPnpm } from "./pinned-pnpm.mjs";
import { setUp } from "./set-up.mjs";

withPinnedPnpm(
  import.meta.url,
  () =>
    setUp() ||
    run("pnpm", ["--silent", "--filter", "@cfile-tools/demo", "run", "demo", ...process.argv.slice(2)]),
);
