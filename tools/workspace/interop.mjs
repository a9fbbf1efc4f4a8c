/**
 * `npm run interop -- ARGUMENTS`: installs, builds, and runs the interoperability tests with the arguments.
 */
import { run, withPinnedPnpm } from "./pinned-pnpm.mjs";
import { setUp } from "./set-up.mjs";

withPinnedPnpm(
  import.meta.url,
  () => setUp() || run("node", ["tools/interop/dist/main.js", ...process.argv.slice(2)]),
);
