/** @module @cfile/cli/reference: the definitions of all commands and options, for references and completions. */
export type { Command, CommandEntry } from "./program/command.js";
export { GLOBAL_OPTIONS } from "./program/command-line.js";
export { COMMANDS } from "./program/commands.js";
export { EXIT_CODES } from "./program/help.js";
export type { Option, Options } from "./program/option.js";
