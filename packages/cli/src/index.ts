/** @module @cfile/cli: the `cfile` command, for programs that run it in their own process. */
export { EXIT } from "./program/exit-code.js";
export { type CliIo, type OutputStream, processIo } from "./program/io.js";
export { runCli } from "./program/run-cli.js";
