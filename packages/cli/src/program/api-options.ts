/**
 * The names of options in error messages. The libraries name the options of their API; users of the command know its own options:
 * `--batch-rows` for `batchRows`, `--history-max-age` for `historyMaxAgeSeconds`.
 */
import { type Options, optionName } from "./option.js";

/** API options that the command has under another name. */
const RENAMED: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["footerKey", "parquetKey"],
  ["historyMaxAgeSeconds", "historyMaxAge"],
  ["memoryBytes", "memory"],
  ["targetBytes", "target"],
]);

/** A camelCase word by itself: not in quotes, in a path, or in a longer name. */
const API_NAME = /(?<![\w"'`./\\-])[a-z]+(?:[A-Z][a-z]*)+(?![\w"'`/\\-]|\.\w)/g;

/** Replaces API options in a message by the options of the command, where the command has them. */
export function withCommandOptions(message: string, options: Options): string {
  return message.replace(API_NAME, (word) => {
    const key = RENAMED.get(word) ?? word;
    return Object.hasOwn(options, key) ? optionName(key) : word;
  });
}
