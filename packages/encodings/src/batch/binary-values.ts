/** Limits and errors of blocks and batches of strings. */
import { CFileError, corrupt } from "@cfile/bytes";

/** Offsets are signed 32-bit integers. */
export const MAX_BINARY_BYTES = 0x7fffffff;

/** `E_LIMIT` for a block or batch of strings that 32-bit offsets cannot address. */
export function tooManyBytes(field: string): CFileError {
  const details = { field, expected: MAX_BINARY_BYTES };
  return new CFileError("E_LIMIT", `invalid ${field}: more than 2 GiB of strings`, details);
}

/** `E_CORRUPT` for a codeword outside a dictionary of `words` words; `where` names the row or value that has it. */
export function badCode(where: string, code: number, words: number, offset?: number): CFileError {
  const expected = `less than ${words}`;
  return corrupt(`${where}: invalid codeword`, { offset, field: "codeword", expected, actual: code });
}
