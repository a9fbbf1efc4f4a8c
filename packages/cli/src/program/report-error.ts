/** Errors as the command tells them: one line. */

import { isCFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { exitCodeOf, isAbort } from "./exit-code.js";

/**
 * `cfile: <message>`, or `{"error": {"code", "message", "exit_code", ...}}` with what is known of the place: path, block,
 * offset, field, expected and actual value.
 */
export function errorLine(error: unknown, json: boolean): string {
  const message = messageOf(error);
  if (!json) {
    return `cfile: ${printable(message)}`;
  }
  const { name: _name, code, ...place } = isCFileError(error) && "toJSON" in error ? error.toJSON() : {};
  return JSON.stringify({
    error: { code: code ?? "E_FAILURE", exit_code: exitCodeOf(error), ...place, message },
  });
}

function messageOf(error: unknown): string {
  if (isAbort(error)) {
    return "interrupted";
  }
  return error instanceof Error ? error.message : String(error);
}
