/**
 * What completion knows of the options of a command. The bundle has it as a table instead of this module: to complete a word, no
 * command is loaded.
 */
import type { CommandEntry } from "./command.js";
import type { Option } from "./option.js";

export type OptionWords = Readonly<Record<string, Pick<Option<unknown>, "short" | "hint" | "choices">>>;

/** @param _name of the command, such as `cfile kudu scan` */
export async function optionWords(_name: string, { load }: CommandEntry): Promise<OptionWords> {
  return (await load?.())?.options ?? {};
}
