/** Words that complete a command line. The script of `cfile completion` requests them with `--get-completions WORD…`. */

import { findCommand, GLOBAL_OPTIONS } from "./command-line.js";
import { UsageError } from "./exit-code.js";
import { optionName } from "./option.js";
import { type OptionWords, optionWords } from "./option-words.js";

/** @param words of the command line; the last one is incomplete */
export async function completions(words: readonly string[]): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const all = await candidates(before, typed).catch((error: unknown) => {
    if (error instanceof UsageError) {
      return [];
    }
    throw error;
  });
  return all.filter((word) => word.startsWith(typed));
}

/** Returns nothing where a path is expected: the shell completes paths. */
async function candidates(before: readonly string[], typed: string): Promise<readonly string[]> {
  const { name, entry } = findCommand(before);
  const options: OptionWords = { ...GLOBAL_OPTIONS, ...(await optionWords(name, entry)) };
  const last = before.at(-1);
  const [, awaiting] =
    Object.entries(options).find(([key, { short }]) => last === optionName(key) || last === `-${short}`) ??
    [];
  if (awaiting?.hint !== undefined) {
    return awaiting.choices ?? [];
  }
  return typed.startsWith("-") ? Object.keys(options).map(optionName) : Object.keys(entry.commands ?? {});
}
