/** `npm start`: installs, builds and runs the demo. Arguments after `--` are passed to the demo. */
import { runBuilt } from "./set-up.mjs";

const demo = ["--silent", "--filter", "@cfile-tools/demo", "run", "demo"];
runBuilt(import.meta.url, "pnpm", [...demo, ...process.argv.slice(2)]);
