/**
 * The primitive values of Avro's binary encoding: integers are zigzag varints, least significant group first; bytes and text follow their
 * length; float and double are little-endian.
 */
import { CFileError, corrupt } from "@cfile/bytes";

/** ASCII text up to this length is converted without a `TextDecoder`, which is faster. */
const SHORT_TEXT = 24;
const MIN_NESTED = 65_536;
const NESTED_PER_BYTE = 16;

/** A bounds-checked cursor over Avro binary data. Errors have offsets in `bytes`. */
export class AvroReader {
  readonly bytes: Uint8Array;
  readonly end: number;
  position: number;
  private nested = 0;
  private readonly view: DataView;
  private readonly text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.position = start;
    this.end = Math.min(end, bytes.length);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.end - this.position;
  }

  /**
   * Counts a record, array or map. Records can have no bytes, so a small schema can describe more records than can be decoded.
   * @throws {CFileError} `E_LIMIT` when there are too many for the number of bytes
   */
  countNested(): void {
    const maximum = MIN_NESTED + NESTED_PER_BYTE * this.bytes.length;
    if (++this.nested > maximum) {
      const details = { offset: this.position, field: "value", expected: maximum };
      throw new CFileError("E_LIMIT", `more than ${maximum} records and arrays`, details);
    }
  }

  /** A long as a number if that is exact, else as a bigint. */
  long(): number | bigint {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 7; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      }
      scale *= 128;
    }
    return this.wideLong(BigInt(value));
  }

  /** @throws {CFileError} `E_CORRUPT` when the value has more than 32 bits */
  int(): number {
    const value = this.long();
    if (typeof value !== "number" || (value | 0) !== value) {
      throw corrupt("Avro int has more than 32 bits", { offset: this.position, field: "int" });
    }
    return value;
  }

  /** A length or count. @throws {CFileError} `E_CORRUPT` when it is negative or exceeds 53 bits */
  size(field: string): number {
    const value = this.long();
    if (typeof value !== "number" || value < 0) {
      throw corrupt(`invalid ${field}: ${value}`, { offset: this.position, field, actual: String(value) });
    }
    return value;
  }

  /** One byte, 0 or 1. */
  boolean(): boolean {
    const byte = this.byte();
    if (byte > 1) {
      throw corrupt(`invalid Avro boolean: ${byte}`, { offset: this.position - 1, field: "boolean" });
    }
    return byte === 1;
  }

  /** Four bytes, little-endian. */
  float(): number {
    return this.view.getFloat32(this.advance(4, "float"), true);
  }

  /** Eight bytes, little-endian. */
  double(): number {
    return this.view.getFloat64(this.advance(8, "double"), true);
  }

  /** The next `length` bytes, not copied. */
  take(length: number, field: string): Uint8Array {
    const start = this.advance(length, field);
    return this.bytes.subarray(start, this.position);
  }

  /** Length-prefixed bytes, not copied. */
  sized(field: string): Uint8Array {
    return this.take(this.size(field), field);
  }

  /** @throws {CFileError} `E_CORRUPT` when it is not valid UTF-8 */
  string(): string {
    const length = this.size("string");
    const start = this.advance(length, "string");
    if (length <= SHORT_TEXT) {
      let text = "";
      let i = start;
      for (; i < this.position && (this.bytes[i] as number) < 0x80; i++) {
        text += String.fromCharCode(this.bytes[i] as number);
      }
      if (i === this.position) {
        return text;
      }
    }
    try {
      return this.text.decode(this.bytes.subarray(start, this.position));
    } catch (cause) {
      throw corrupt("Avro string is not valid UTF-8", { offset: start, field: "string", cause });
    }
  }

  private byte(): number {
    return this.bytes[this.advance(1, "value")] as number;
  }

  /** The rest of a long of more than 7 bytes. */
  private wideLong(low: bigint): bigint | number {
    let value = low;
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (value >> 64n !== 0n) {
          break;
        }
        const signed = (value & 1n) === 0n ? value >> 1n : -((value + 1n) >> 1n);
        const number = Number(signed);
        return Number.isSafeInteger(number) ? number : signed;
      }
    }
    throw corrupt("Avro long has more than 64 bits", { offset: this.position, field: "long" });
  }

  private advance(length: number, field: string): number {
    const start = this.position;
    if (length > this.end - start) {
      const actual = this.end - start;
      const details = { offset: start, field, expected: length, actual };
      throw new CFileError("E_TRUNCATED", `${field} needs ${length} bytes, ${actual} are left`, details);
    }
    this.position = start + length;
    return start;
  }
}
