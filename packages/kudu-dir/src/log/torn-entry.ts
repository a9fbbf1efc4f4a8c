/**
 * Whether a crash can have left the last entry of a log as it is (docs/spec/kudu-wal.md#3-entry). An entry is written at once, into
 * space that was zeros or past the end of the file. Disks write whole sectors, so that after a crash each sector has what it had
 * before the entry or with it; while a server writes an entry, a sector may have its beginning. An entry whose sectors were all
 * written and which does not check was damaged later, for example by a flipped bit: its operations may have been answered.
 */

/** The smallest sector of disks. */
const SECTOR = 512;
/** Zeros at the end of a sector that was not written. Few entries have as many there. */
const ZEROS = 8;
/** Encrypted files are decrypted in blocks; what a block lacks at its end decrypts to any bytes. */
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
 * Whether bytes `from` to `to` (exclusive) are zeros, as space allocated for entries.
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
