/**
 * The options of a command for completion. The bundle replaces this module with a table, so that completing a word does not load any
 * command.
 */
import type { CommandEntry } from "./command.js";
import type { Option } from "./option.js";

export type OptionWords = Readonly<Record<string, Pick<Option<unknown>, "short" | "hint" | "choices">>>;

/** @param _name of the command, such as `cfile kudu scan` */
export async function optionWords(_name: string, { load }: CommandEntry): Promise<OptionWords> {
  return (await load?.())?.options ?? {};
}
