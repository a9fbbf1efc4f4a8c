/** @module @cfile/cli: the `cfile` command, for programs that run it in their own process. */
export { EXIT } from "./exit-code.js";
export { type CliIo, type OutputStream, processIo } from "./io.js";
export { runCli } from "./run-cli.js";
