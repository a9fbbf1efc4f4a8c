/** `npm start`: installs, builds and runs the demonstration. Arguments after `--` go to it. */
import { run, withPinnedPnpm } from "./pinned-pnpm.mjs";
import { setUp } from "./set-up.mjs";

withPinnedPnpm(
  import.meta.url,
  () =>
    setUp() ||
    run("pnpm", ["--silent", "--filter", "@cfile-tools/demo", "run", "demo", ...process.argv.slice(2)]),
);
