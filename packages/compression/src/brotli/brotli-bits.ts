/** The bit stream of Brotli (RFC 7932, 1.4): fields start at the lowest bit of each byte. */
import { CFileError, type CFileErrorDetails, corrupt } from "@cfile/bytes";

const FIELD = "Brotli stream";

export class BrotliBits {
  private readonly bytes: Uint8Array;
  /** The next byte that is not in `held`. */
  private next = 0;
  private held = 0;
  private heldBits = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Offset of the byte that holds the next bit. */
  get offset(): number {
    return this.next - ((this.heldBits + 7) >>> 3);
  }

  /** The next bits, at most 24, which stay unread; zeros follow the last one. */
  peek(count: number): number {
    while (this.heldBits < count && this.next < this.bytes.length) {
      this.held |= (this.bytes[this.next++] as number) << this.heldBits;
      this.heldBits += 8;
    }
    return this.held & ((1 << count) - 1);
  }

  /** Skips bits that were peeked at. @throws {CFileError} `E_TRUNCATED` when the stream has fewer */
  drop(count: number): void {
    if (count > this.heldBits) {
      throw this.ended();
    }
    this.held >>>= count;
    this.heldBits -= count;
  }

  /** Reads an unsigned integer of at most 24 bits. @throws {CFileError} `E_TRUNCATED` */
  read(count: number): number {
    const value = this.peek(count);
    this.drop(count);
    return value;
  }

  /** Skips to the next byte. @throws {CFileError} `E_CORRUPT` when a bit that is skipped is set */
  align(): void {
    if (this.read(this.heldBits & 7) !== 0) {
      throw this.malformed("bits before the end of a byte");
    }
  }

  /** The next bytes, without a copy; call {@link align} first. @throws {CFileError} `E_TRUNCATED` */
  take(length: number): Uint8Array {
    const start = this.offset;
    if (length > this.bytes.length - start) {
      throw this.ended();
    }
    this.held = 0;
    this.heldBits = 0;
    this.next = start + length;
    return this.bytes.subarray(start, this.next);
  }

  /** Whether all bytes were read. */
  get isAtEnd(): boolean {
    return this.offset === this.bytes.length;
  }

  private ended(): CFileError {
    return new CFileError("E_TRUNCATED", `${FIELD} ends early`, { offset: this.bytes.length, field: FIELD });
  }

  /** The error for bits that no encoder writes. */
  malformed(what: string, details: CFileErrorDetails = {}): CFileError {
    return corrupt(`${FIELD}: invalid ${what}`, { offset: this.offset, field: FIELD, ...details });
  }
}
