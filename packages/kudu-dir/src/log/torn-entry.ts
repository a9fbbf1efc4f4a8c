/**
 * Decides whether the last entry of a log can be the result of a crash (docs/spec/kudu-wal.md#3-entry). An entry is written at once,
 * into space that was zeros or past the end of the file. Disks write whole sectors, so after a crash each sector has its old content
 * or that of the entry; while a server writes an entry, a sector may have only its beginning. If all sectors of an invalid entry were
 * written, it was damaged later, for example by a flipped bit, and clients may have received answers to its operations.
 */

/** Bytes of the smallest sectors of disks. */
const SECTOR = 512;
/** Number of zeros at the end of a sector that was not written. Few entries have that many there. */
const ZEROS = 8;
/** Encrypted files are decrypted in blocks; the missing end of a block decrypts to arbitrary bytes. */
const CIPHER_BLOCK = 16;

/** The bytes of a log, decrypted. */
export interface LogBytes {
  readonly bytes: Uint8Array;
  readonly isEncrypted: boolean;
}

/** Whether a sector of bytes `from` to `to` (exclusive) was not written, or not to its end. */
export function isPartlyWritten(log: LogBytes, from: number, to: number): boolean {
  for (let at = from; at < to; ) {
    const end = Math.min(to, at - (at % SECTOR) + SECTOR);
    if (isUnwritten(log, at, end, ZEROS)) {
      return true;
    }
    at = end;
  }
  return false;
}

/**
 * Whether bytes `from` to `to` (exclusive) are zeros, like space allocated for entries.
 *
 * @param length number of bytes before `to` that must be zeros. Default: all
 */
export function isUnwritten(
  { bytes, isEncrypted }: LogBytes,
  from: number,
  to: number,
  length = to - from,
): boolean {
  const written = isEncrypted ? Math.ceil(from / CIPHER_BLOCK) * CIPHER_BLOCK : from;
  const start = Math.max(written, to - length);
  return start >= to || bytes.subarray(start, to).every((byte) => byte === 0);
}
