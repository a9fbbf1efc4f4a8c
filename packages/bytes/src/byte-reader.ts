import { CFileError } from "./error/error.js";

/**
 * A bounds-checked cursor over bytes. Every read names the field it wants, so that running out of bytes is an
 * error which says what was missing and where.
 */
export class ByteReader {
  readonly bytes: Uint8Array;
  /** First byte after the readable range. */
  readonly end: number;
  private readonly view: DataView;
  /** Position of the next read, an index into `bytes`. */
  position: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    if (start < 0 || end > bytes.length || start > end) {
      throw new CFileError("E_TRUNCATED", `range ${start}..${end} is outside ${bytes.length} bytes`);
    }
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.position = start;
    this.end = end;
  }

  get remaining(): number {
    return this.end - this.position;
  }

  /** Throws `E_TRUNCATED` unless `length` more bytes can be read; `length` may be any number. */
  require(length: number, field: string): void {
    if (!(length >= 0 && length <= this.end - this.position)) {
      throw new CFileError(
        "E_TRUNCATED",
        `${field} needs ${length} bytes, ${this.end - this.position} are left`,
        { offset: this.position, field, expected: length, actual: this.end - this.position },
      );
    }
  }

  /**
   * Reads one byte.
   *
   * @throws CFileError `E_TRUNCATED` at the end
   */
  u8(field: string): number {
    this.require(1, field);
    return this.bytes[this.position++] as number;
  }

  /**
   * Reads an unsigned 16-bit integer, little-endian.
   *
   * @throws CFileError `E_TRUNCATED` when fewer than 2 bytes remain
   */
  u16le(field: string): number {
    this.require(2, field);
    const value = this.view.getUint16(this.position, true);
    this.position += 2;
    return value;
  }

  /**
   * Reads an unsigned 32-bit integer, little-endian.
   *
   * @throws CFileError `E_TRUNCATED` when fewer than 4 bytes remain
   */
  u32le(field: string): number {
    this.require(4, field);
    const value = this.view.getUint32(this.position, true);
    this.position += 4;
    return value;
  }

  /**
   * Reads an unsigned 32-bit integer, big-endian.
   *
   * @throws CFileError `E_TRUNCATED` when fewer than 4 bytes remain
   */
  u32be(field: string): number {
    this.require(4, field);
    const value = this.view.getUint32(this.position, false);
    this.position += 4;
    return value;
  }

  /**
   * Reads an unsigned 64-bit integer, little-endian.
   *
   * @throws CFileError `E_TRUNCATED` when fewer than 8 bytes remain
   */
  u64le(field: string): bigint {
    this.require(8, field);
    const value = this.view.getBigUint64(this.position, true);
    this.position += 8;
    return value;
  }

  /**
   * The next `length` bytes, not copied.
   *
   * @throws CFileError `E_TRUNCATED` when fewer remain
   */
  take(length: number, field: string): Uint8Array {
    this.require(length, field);
    const start = this.position;
    this.position = start + length;
    return this.bytes.subarray(start, this.position);
  }

  /**
   * Moves past `length` bytes.
   *
   * @throws CFileError `E_TRUNCATED` when fewer remain
   */
  skip(length: number, field: string): void {
    this.require(length, field);
    this.position += length;
  }
}
