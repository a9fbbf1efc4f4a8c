import { CFileError } from "./error/error.js";

/**
 * A bounds-checked cursor over bytes. Every read names its field, so that an error says which field is truncated, and where. All
 * reads throw `E_TRUNCATED` like {@link ByteReader.require}.
 */
export class ByteReader {
  readonly bytes: Uint8Array;
  /** First byte after the readable range. */
  readonly end: number;
  private readonly view: DataView;
  /** Position of the next read, an index into `bytes`. */
  position: number;

  /** @throws {CFileError} `E_TRUNCATED` when the range is outside `bytes` */
  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    if (start < 0 || end > bytes.length || start > end) {
      const reason = `range ${start}..${end} is outside an array of ${bytes.length} bytes`;
      throw new CFileError("E_TRUNCATED", reason);
    }
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.position = start;
    this.end = end;
  }

  get remaining(): number {
    return this.end - this.position;
  }

  /**
   * Checks that `length` more bytes can be read; `length` may be any number, even NaN.
   *
   * @throws {CFileError} `E_TRUNCATED` when fewer remain
   */
  require(length: number, field: string): void {
    const { position: offset, remaining: actual } = this;
    if (!(length >= 0 && length <= actual)) {
      const reason = `${field} needs ${length} bytes, ${actual} are left`;
      throw new CFileError("E_TRUNCATED", reason, { offset, field, expected: length, actual });
    }
  }

  /** Reads one byte. */
  u8(field: string): number {
    return this.bytes[this.advance(1, field)] as number;
  }

  /** Reads an unsigned 16-bit integer, little-endian. */
  u16le(field: string): number {
    return this.view.getUint16(this.advance(2, field), true);
  }

  /** Reads an unsigned 32-bit integer, little-endian. */
  u32le(field: string): number {
    return this.view.getUint32(this.advance(4, field), true);
  }

  /** Reads an unsigned 32-bit integer, big-endian. */
  u32be(field: string): number {
    return this.view.getUint32(this.advance(4, field), false);
  }

  /** Reads an unsigned 64-bit integer, little-endian. */
  u64le(field: string): bigint {
    return this.view.getBigUint64(this.advance(8, field), true);
  }

  /** The next `length` bytes, not copied. */
  take(length: number, field: string): Uint8Array {
    const start = this.advance(length, field);
    return this.bytes.subarray(start, this.position);
  }

  /** Skips `length` bytes. */
  skip(length: number, field: string): void {
    this.advance(length, field);
  }

  /** Skips `length` bytes; returns their start. */
  private advance(length: number, field: string): number {
    this.require(length, field);
    const start = this.position;
    this.position = start + length;
    return start;
  }
}
