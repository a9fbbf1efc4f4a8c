/** Errors and problems as one line. */
import { basename } from "node:path";
import { isCFileError } from "@cfile/bytes";
import type { Problem } from "../files/findings.js";
import { exitCodeOf, isAbort } from "./exit-code.js";

/**
 * `cfile: <message>`, or `{"error": {"code", "message", "exit_code", ...}}` with what is known of the position: path, block,
 * offset, field, expected and actual value.
 */
export async function errorLine(error: unknown, json: boolean): Promise<string> {
  const message = isAbort(error) ? "interrupted" : error instanceof Error ? error.message : String(error);
  if (!json) {
    const { printable } = await import("@cfile/cell-text");
    return `cfile: ${printable(message)}`;
  }
  const { name: _name, code, ...place } = isCFileError(error) && "toJSON" in error ? error.toJSON() : {};
  return JSON.stringify({
    error: { code: code ?? "E_FAILURE", exit_code: exitCodeOf(error), ...place, message },
  });
}

/** `E_CHECKSUM block at 16 (48 bytes), offset 44, checksum: CRC mismatch (expected …, found …)`. */
export function problemText(problem: Problem): string {
  const { code, reason, role, path, block, offset, entry, row, timestamp, field, expected, actual } = problem;
  const place = [
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
  // Most reasons have the values already.
  const isStated = expected === undefined || actual === undefined || reason.includes("(expected ");
  const values = isStated ? "" : ` (expected ${expected}, found ${actual})`;
  return `${code}${place === "" ? "" : ` ${place}`}: ${reason}${values}`;
}
