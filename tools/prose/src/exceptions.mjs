/** The accepted findings, each with its reason: `exceptions.json`. */
import { readFileSync } from "node:fs";

/** @typedef {import("./check-file.mjs").Finding} Finding */

/**
 * @typedef {object} Exception
 * @property {string} file a file, or a folder that ends in `/`
 * @property {string} rule
 * @property {string} [text] a part of the message
 * @property {string} reason
 */

/** @type {Exception[]} */
const all = JSON.parse(readFileSync(new URL("../exceptions.json", import.meta.url), "utf8"));

/** @param {readonly Exception[]} [exceptions] */
export function makeExceptions(exceptions = all) {
  const unused = new Set(exceptions);
  return {
    unused,
    /**
     * @param {string} file
     * @param {Finding} finding
     * @returns {boolean} whether the finding is one of the exceptions
     */
    covers(file, { rule, message }) {
      const exception = exceptions.find(
        (known) =>
          known.rule === rule &&
          (known.file.endsWith("/") ? file.startsWith(known.file) : file === known.file) &&
          message.includes(known.text ?? ""),
      );
      if (exception !== undefined) {
        unused.delete(exception);
      }
      return exception !== undefined;
    },
  };
}
