/**
 * `npm run interop -- ARGUMENTS`: installs, builds, and runs the interoperability tests with the arguments.
 */
import { runBuilt } from "./set-up.mjs";

runBuilt(import.meta.url, "node", ["tools/interop/dist/main.js", ...process.argv.slice(2)]);
