/** The errors of LZ4 blocks. */
import { CFileError, corrupt, invalidArgument } from "@cfile/bytes";

export function truncated(field: string, offset: number): CFileError {
  return new CFileError("E_TRUNCATED", "LZ4 block ends inside a sequence", { field, offset });
}

export function requireRange(bytes: Uint8Array, start: number, end: number): void {
  if (!(start >= 0 && start <= end && end <= bytes.length)) {
    const reason = `range ${start}..${end} is outside an array of ${bytes.length} bytes`;
    throw invalidArgument(reason, { field: "LZ4 input" });
  }
}

export function requireSize(actual: number, expected: number, offset: number): void {
  if (actual !== expected) {
    const details = { offset, field: "LZ4 block", expected, actual };
    throw corrupt(`LZ4 block expands to ${actual} bytes (expected ${expected})`, details);
  }
}

export function badDistance(distance: number, max: number, offset: number): CFileError {
  const details = { offset, field: "LZ4 distance", actual: distance };
  return corrupt(`invalid LZ4 distance: ${distance} (must be 1 to ${max})`, details);
}

/** A part of a sequence that exceeds the bytes left in the input (`stored`) or in the output (`room`). */
export function tooLong(
  actual: number,
  stored: number,
  room: number,
  field: string,
  offset: number,
): CFileError {
  if (actual > stored) {
    return truncated(field, offset);
  }
  const reason = `LZ4 sequence of ${actual} bytes exceeds the output (${room} bytes left)`;
  return corrupt(reason, { offset, field, expected: room, actual });
}
