/** Damages bytes, and checks the errors that readers throw for them. */
import { expect } from "vitest";
import { checked } from "./cases.js";

export function flipBit(bytes: Uint8Array, bit: number): Uint8Array<ArrayBuffer> {
  const flipped = Uint8Array.from(bytes);
  flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return flipped;
}

/**
 * Requires that the error of a reader of damaged bytes is a `CFileError` with a code, and that its offset is within the bytes.
 * Counts as one case.
 */
export function expectRefusal(error: unknown, size = Number.POSITIVE_INFINITY): void {
  const { name, code, offset = 0 } = error as { name?: unknown; code?: unknown; offset?: number };
  if (name !== "CFileError" || typeof code !== "string" || !code.startsWith("E_")) {
    throw error;
  }
  if (!(offset >= 0 && offset <= size)) {
    expect.fail(`offset ${offset} in ${size} bytes: ${(error as Error).message}`);
  }
  checked(1);
}
