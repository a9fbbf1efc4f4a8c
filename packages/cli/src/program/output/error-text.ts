/** Errors and problems as one line. */
import { basename } from "node:path";
import { isCFileError } from "@cfile/bytes";
import type { Problem } from "../../files/findings.js";
import { withCommandOptions } from "../api-options.js";
import { exitCodeOf, isAbort } from "../exit-code.js";
import type { Options } from "../option.js";

/**
 * `cfile: <message>`, or `{"error": {"exit_code", ...errorJson}}`.
 *
 * @param options of the command, for the message
 */
export async function errorLine(error: unknown, json: boolean, options: Options): Promise<string> {
  const fields = errorJson(error, options);
  if (json) {
    return JSON.stringify({ error: { exit_code: exitCodeOf(error), ...fields } });
  }
  const { printable } = await import("@cfile/cell-text");
  return `cfile: ${printable(fields.message)}`;
}

/** Code, message, and the known details: path, block, offset, field, expected and actual value. */
export function errorJson(error: unknown, options: Options) {
  const { name: _name, ...details } = isCFileError(error) ? error.toJSON() : { code: "E_FAILURE" };
  const message = isAbort(error) ? "interrupted" : error instanceof Error ? error.message : String(error);
  return { ...details, message: withCommandOptions(message, options) };
}

/** `E_CHECKSUM block at 16 (48 bytes), offset 44, checksum: CRC mismatch (expected …, found …)`. */
export function problemText(problem: Problem): string {
  const { code, reason, role, path, block, offset, entry, row, timestamp, field, expected, actual } = problem;
  const position = [
    role,
    path === undefined ? undefined : basename(path),
    block === undefined ? undefined : `block at ${block.offset} (${block.size} bytes)`,
    offset === undefined ? undefined : `offset ${offset}`,
    entry === undefined ? undefined : `entry ${entry}`,
    row === undefined ? undefined : `row ${row}`,
    timestamp === undefined ? undefined : `timestamp ${timestamp}`,
    field,
  ]
    .filter((part) => part !== undefined)
    .join(", ");
  // Most reasons contain the values already.
  const isStated = expected === undefined || actual === undefined || reason.includes("(expected ");
  const values = isStated ? "" : ` (expected ${expected}, found ${actual})`;
  return `${code}${position === "" ? "" : ` ${position}`}: ${reason}${values}`;
}
