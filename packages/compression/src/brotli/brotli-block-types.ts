/**
 * Blocks of literals, of commands and of distances (RFC 7932, 6): each has a type, which selects its prefix codes, and a number of
 * symbols. The first block has type 0.
 */
import type { BrotliBits } from "./brotli-bits.js";
import { type PrefixCode, readPrefixCode } from "./brotli-prefix-code.js";

/** Number of symbols by code, without the extra bits, and the number of extra bits. */
const COUNTS = [
  1, 5, 9, 13, 17, 25, 33, 41, 49, 65, 81, 97, 113, 145, 177, 209, 241, 305, 369, 497, 753, 1265, 2289, 4337,
  8433, 16625,
] as const;
const EXTRA_BITS = [
  2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 7, 8, 9, 10, 11, 12, 13, 24,
] as const;
/** More symbols than a meta-block can have. */
const UNLIMITED = 1 << 28;

/** A number of types or trees, 1 to 256: a bit for 1, or three bits `n` and `n` bits. @throws {CFileError} `E_TRUNCATED` */
export function readCount(bits: BrotliBits): number {
  if (bits.read(1) === 0) {
    return 1;
  }
  const width = bits.read(3);
  return 1 + (1 << width) + bits.read(width);
}

/** The blocks of one kind of symbols. */
export class BlockTypes {
  readonly types: number;
  /** Type of the current block. */
  type = 0;
  private before = 1;
  private left = UNLIMITED;
  private readonly codes: { readonly type: PrefixCode; readonly count: PrefixCode } | undefined;

  /** @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT` */
  constructor(bits: BrotliBits) {
    this.types = readCount(bits);
    if (this.types > 1) {
      const type = readPrefixCode(bits, this.types + 2);
      this.codes = { type, count: readPrefixCode(bits, COUNTS.length) };
      this.left = this.readLength(bits, this.codes.count);
    }
  }

  /** Counts a symbol. @returns whether it is the first symbol of a new block, whose type may be the same */
  next(bits: BrotliBits): boolean {
    const { codes } = this;
    const isNew = this.left === 0 && codes !== undefined;
    if (isNew) {
      const code = codes.type.read(bits);
      const type = code === 0 ? this.before : code === 1 ? (this.type + 1) % this.types : code - 2;
      this.before = this.type;
      this.type = type;
      this.left = this.readLength(bits, codes.count);
    }
    this.left--;
    return isNew;
  }

  private readLength(bits: BrotliBits, code: PrefixCode): number {
    const symbol = code.read(bits);
    return (COUNTS[symbol] as number) + bits.read(EXTRA_BITS[symbol] as number);
  }
}
