/** Keys as arguments of a command: `get DIR KEY…`, and behind `--` those that begin with a dash. */
import { UsageError } from "../program/exit-code.js";

export const KEYS = /* @__PURE__ */ Object.freeze({
  type: "string",
  array: true,
  describe: "keys, of several columns with commas between; those that begin with a dash behind --",
} as const);

export interface KeyArguments {
  readonly keys?: readonly string[] | undefined;
  /** The command, and the arguments behind `--`. */
  readonly _: readonly (string | number)[];
}

/** How many words the commands with keys have: `bloom check`. */
const COMMAND_WORDS = 2;

/** @throws UsageError without keys */
export function keyArguments({ keys = [], _ }: KeyArguments): string[] {
  const all = [...keys, ..._.slice(COMMAND_WORDS).map(String)];
  if (all.length === 0) {
    throw new UsageError("at least one key is expected");
  }
  return all;
}
