/**
 * Finds blocks in unknown bytes by their checksums alone.
 *
 * A block is a range `s..e` whose last four bytes are the CRC-32C of the others. If the CRC register starts at `s` with all ones,
 * it therefore has a constant value after byte `e - 1`. The register is linear, and every step can be undone. Undone to the start
 * of the bytes, both ends of a block give the same number:
 *
 * | for a start `s` | for an end `e` |
 * | --- | --- |
 * | all ones undone by `s` steps, xor Q(s) | the constant undone by `e` steps, xor Q(e) |
 *
 * where Q(i) is the register after bytes 0 to i, started with zero and undone by `i` steps. One pass with a hash table finds
 * every such pair, regardless of the bytes between the blocks.
 */

const POLYNOMIAL = 0x82f63b78;
/** XORed when a bit step is undone while the highest bit is set. */
const UNDO = (POLYNOMIAL << 1) | 1 | 0;
const ALL_ONES = -1;

/** Minimum bytes of a block with rows, checksum included. */
const MIN_BLOCK = 9;
/** Maximum starts tried per end: only in crafted bytes do more starts have the same number. */
const MAX_STARTS = 32;

export interface ChecksumMatch {
  readonly start: number;
  /** Exclusive; after the checksum. */
  readonly end: number;
}

/**
 * Calls `found` for each range of `bytes` that ends with its own checksum, by ascending end, the shortest first. Some matches
 * are coincidences.
 *
 * @param found ends the search by returning `"stop"`
 */
export function findChecksummedRanges(
  bytes: Uint8Array,
  found: (match: ChecksumMatch) => "stop" | "continue",
): void {
  const { length } = bytes;
  if (length < MIN_BLOCK) {
    return;
  }
  const shift = Math.max(1, 31 - Math.ceil(Math.log2(length)));
  const heads = new Int32Array(2 ** (32 - shift)).fill(-1);
  const following = new Int32Array(length);
  const starts = new Int32Array(length);
  const ends = new Int32Array(length + 1);
  fillKeys(bytes, starts, ends);
  for (let end = MIN_BLOCK; end <= length; end++) {
    const start = end - MIN_BLOCK;
    const slot = hash(starts[start] as number, shift);
    following[start] = heads[slot] as number;
    heads[slot] = start;
    const key = ends[end] as number;
    let tries = 0;
    for (let at = heads[hash(key, shift)] as number; at >= 0; at = following[at] as number) {
      if (starts[at] === key) {
        if (found({ start: at, end }) === "stop") {
          return;
        }
        if (++tries === MAX_STARTS) {
          break;
        }
      }
    }
  }
}

export function hash(key: number, shift: number): number {
  return Math.imul(key ^ (key >>> 15), 0x9e3779b1) >>> shift;
}

function fillKeys(bytes: Uint8Array, starts: Int32Array, ends: Int32Array): void {
  const keys = new ChecksumKeys();
  for (let i = 0; i < bytes.length; i++) {
    starts[i] = keys.start;
    ends[i] = keys.end;
    keys.push(bytes[i] as number);
  }
  ends[bytes.length] = keys.end;
}

/** The numbers of a start and of an end at the current position. A range whose start and end have the same number is a match. */
export class ChecksumKeys {
  private readonly undoByte = undoTable();
  /** Q(i). */
  private q = 0;
  private ones = ALL_ONES;
  private constant = residue();
  /** Bit 0 of a byte, undone to the start of the bytes; the other bits follow from it. */
  private basis = 1;

  get start(): number {
    return this.q ^ this.ones;
  }

  get end(): number {
    return this.q ^ this.constant;
  }

  /** Advances past `byte`. */
  push(byte: number): void {
    let { q, basis } = this;
    for (let bit = 0; bit < 8; bit++) {
      q ^= basis & -((byte >>> bit) & 1);
      basis = (basis << 1) ^ (UNDO & (basis >> 31));
    }
    this.q = q;
    this.basis = basis;
    this.ones = undo(this.ones, this.undoByte);
    this.constant = undo(this.constant, this.undoByte);
  }
}

/** Undoes eight bit steps over zeros. */
function undo(register: number, table: Int32Array): number {
  return (register << 8) ^ (table[register >>> 24] as number);
}

/** For each highest byte of a register: its contribution when eight bit steps are undone. */
function undoTable(): Int32Array {
  const table = new Int32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let register = byte << 24;
    for (let bit = 0; bit < 8; bit++) {
      register = (register << 1) ^ (UNDO & (register >> 31));
    }
    table[byte] = register;
  }
  return table;
}

/** The register after any bytes followed by their own checksum. */
function residue(): number {
  let register = ALL_ONES;
  for (let bit = 0; bit < 32; bit++) {
    register = (register >>> 1) ^ (register & 1 ? POLYNOMIAL : 0);
  }
  return register | 0;
}
