/**
 * Reads a protobuf message field by field. A field is a tag, `field number << 3 | wire type`, and a value:
 *
 * | wire type | value | read by |
 * | --- | --- | --- |
 * | 0 | varint of at most ten bytes | `int32`, `uint32`, `bool`, `int64`, `uint64`, `count` |
 * | 1 | eight bytes | `fixed64` |
 * | 2 | varint length below 2^31, that many bytes | `bytes`, `text`, `message`, `int32s` |
 * | 3 … 4 | a group: fields up to the end tag with the same number | `skip` |
 * | 5 | four bytes | `skip` |
 *
 * Tags and lengths take at most five bytes and 32 bits. A known field with an unexpected wire type is damage, and so is a
 * 32-bit integer with more bits: protobuf's own decoders skip the former as an unknown field, and drop bits of the latter.
 */
import { CFileError, corrupt } from "@cfile/bytes";

const MAX_VARINT_LENGTH = 10;
const MAX_SHORT_LENGTH = 5;
const MAX_GROUP_DEPTH = 100;

let utf8: TextDecoder | undefined;

/**
 * A cursor over the fields of a message. Every method throws a `CFileError` with the field's name and offset: `E_TRUNCATED` at the
 * end of the message; `E_CORRUPT` for an unexpected wire type, too many bits and malformed values.
 */
export class MessageReader {
  private readonly input: Uint8Array;
  private readonly name: string;
  private readonly start: number;
  private readonly end: number;
  private position: number;
  private wireType = 0;
  private fieldNumber = 0;
  private tagStart: number;
  /** Bits 32 to 63 of the last varint. */
  private high = 0;

  /** Reads `bytes[start..end)`; errors name the message and offsets in `bytes`. */
  constructor(bytes: Uint8Array, name: string, start = 0, end = bytes.length) {
    this.input = bytes;
    this.name = name;
    this.start = start;
    this.position = start;
    this.tagStart = start;
    this.end = end;
  }

  /** Moves to the next field, whose value must then be read or skipped; returns its number, or 0 after the last one. */
  next(): number {
    if (this.position >= this.end) {
      return 0;
    }
    this.tagStart = this.position;
    // Most tags are one byte, which cannot be malformed: no name is built for an error.
    const first = this.input[this.position] as number;
    const tag = first < 0x80 ? first : this.short(`${this.name} tag`);
    this.position += first < 0x80 ? 1 : 0;
    this.wireType = tag & 7;
    this.fieldNumber = tag >>> 3;
    if (this.fieldNumber === 0) {
      throw this.badTag(" has field number 0");
    }
    return this.fieldNumber;
  }

  /** Skips the value of an unknown field; for a group, all of its fields. */
  skip(depth = 0): void {
    const field = `${this.name} field`;
    const { wireType } = this;
    if (wireType === 0) {
      this.varint(field);
    } else if (wireType === 1 || wireType === 5) {
      this.take(wireType === 1 ? 8 : 4, field);
    } else if (wireType === 2) {
      this.take(this.length(field), field);
    } else if (wireType === 3) {
      this.skipGroup(depth + 1);
    } else {
      throw this.badTag(` has wire type ${wireType}`);
    }
  }

  private skipGroup(depth: number): void {
    const { fieldNumber: group, tagStart } = this;
    if (depth > MAX_GROUP_DEPTH) {
      throw this.badTag(` is nested in more than ${MAX_GROUP_DEPTH} groups`);
    }
    while (this.next() !== 0) {
      if (this.wireType !== 4) {
        this.skip(depth);
      } else if (this.fieldNumber === group) {
        return;
      } else {
        throw this.badTag(` ends in group ${group}`);
      }
    }
    this.tagStart = tagStart;
    throw this.badTag(" is a group without an end");
  }

  /** Reads an `int32` value. */
  int32(field: string): number {
    this.expect(0, field);
    return this.signed32(field);
  }

  /** Reads a `uint32` value. */
  uint32(field: string): number {
    this.expect(0, field);
    const start = this.position;
    const value = this.varint(field);
    return this.high === 0 ? value : this.tooLarge(start, field);
  }

  /** Reads a `bool` value. */
  bool(field: string): boolean {
    this.expect(0, field);
    return (this.varint(field) | this.high) !== 0;
  }

  /** Reads a `uint64` value. */
  uint64(field: string): bigint {
    this.expect(0, field);
    const low = this.varint(field);
    return (BigInt(this.high) << 32n) | BigInt(low);
  }

  /** Reads an `int64` value. */
  int64(field: string): bigint {
    return BigInt.asIntN(64, this.uint64(field));
  }

  /** Reads a `uint64` value that is a safe integer: offsets, sizes and counts. */
  count(field: string): number {
    this.expect(0, field);
    const start = this.position;
    const value = this.varint(field) + this.high * 2 ** 32;
    if (value > Number.MAX_SAFE_INTEGER) {
      throw corrupt(`${field} is above 2^53 - 1`, { offset: start, field });
    }
    return value;
  }

  /** Reads a `fixed64` value. */
  fixed64(field: string): bigint {
    this.expect(1, field);
    const start = this.take(8, field);
    return new DataView(this.input.buffer, this.input.byteOffset + start, 8).getBigUint64(0, true);
  }

  /**
   * Reads a `bytes` value, a view into the message.
   *
   * @param previous returned instead of a new view if it has the same bytes, as many values of a repeated field do
   */
  bytes(field: string, previous?: Uint8Array): Uint8Array {
    this.expect(2, field);
    const start = this.take(this.length(field), field);
    return previous !== undefined && this.isNext(previous, start)
      ? previous
      : this.input.subarray(start, this.position);
  }

  /** Reads a `string` value; malformed UTF-8 becomes U+FFFD. */
  text(field: string): string {
    utf8 ??= new TextDecoder("utf-8", { ignoreBOM: true });
    return utf8.decode(this.bytes(field));
  }

  /** A reader of a nested message. */
  message(field: string): MessageReader {
    this.expect(2, field);
    const start = this.take(this.length(field), field);
    return new MessageReader(this.input, field, start, this.position);
  }

  /** Appends one value, or a packed array of values, of a repeated `int32` field to `values`. */
  int32s(field: string, values: number[]): void {
    if (this.wireType === 0) {
      values.push(this.signed32(field));
      return;
    }
    const packed = this.message(field);
    while (packed.position < packed.end) {
      values.push(packed.signed32(field));
    }
  }

  /** Returns the value of a required field; throws `E_CORRUPT` when it is `undefined`. */
  required<T>(value: T | undefined, field: string): T {
    if (value === undefined) {
      throw corrupt(`${this.name} lacks the required field ${field}`, { offset: this.start, field });
    }
    return value;
  }

  /** Returns the lower 32 bits of a varint and leaves the upper ones in `high`. Bits above 64 are dropped. */
  private varint(field: string): number {
    const { input, end } = this;
    let low = 0;
    let high = 0;
    let at = this.position;
    for (let shift = 0; shift < 7 * MAX_VARINT_LENGTH; shift += 7) {
      if (at >= end) {
        throw this.truncated(`${field} ends inside a varint`, field);
      }
      const byte = input[at++] as number;
      if (shift < 28) {
        low |= (byte & 0x7f) << shift;
      } else if (shift === 28) {
        low |= byte << 28;
        high = (byte & 0x7f) >>> 4;
      } else {
        high |= (byte & 0x7f) << (shift - 32);
      }
      if (byte < 0x80) {
        this.position = at;
        this.high = high >>> 0;
        return low >>> 0;
      }
    }
    const details = { offset: this.position, field };
    throw corrupt(`${field} is a varint of more than ${MAX_VARINT_LENGTH} bytes`, details);
  }

  /** Reads an `int32`: negative values are sign-extended to ten bytes, but writers may also store 32 bits. */
  private signed32(field: string): number {
    const start = this.position;
    const value = this.varint(field) | 0;
    return this.high === (value >> 31) >>> 0 || this.high === 0 ? value : this.tooLarge(start, field);
  }

  private tooLarge(offset: number, field: string): never {
    throw corrupt(`${field} of ${this.name} has more than 32 bits`, { offset, field });
  }

  /** Reads a tag or a length: a varint of at most 32 bits. */
  private short(field: string): number {
    const start = this.position;
    const value = this.varint(field);
    if (this.high !== 0 || this.position - start > MAX_SHORT_LENGTH) {
      throw corrupt(`tag or length of ${field} has more than 32 bits`, { offset: start, field });
    }
    return value;
  }

  private length(field: string): number {
    const start = this.position;
    const length = this.short(field);
    if (length >= 2 ** 31) {
      throw corrupt(`${field} is too long: ${length} bytes (must be below 2^31)`, { offset: start, field });
    }
    return length;
  }

  /** Skips bytes; returns their start. */
  private take(length: number, field: string): number {
    const start = this.position;
    if (length > this.end - start) {
      throw this.truncated(`${field} needs ${length} bytes, ${this.end - start} are left`, field);
    }
    this.position = start + length;
    return start;
  }

  /** Whether the value from `start` to the position has these bytes. */
  private isNext(bytes: Uint8Array, start: number): boolean {
    const { length } = bytes;
    if (length !== this.position - start) {
      return false;
    }
    for (let i = 0; i < length; i++) {
      if (bytes[i] !== this.input[start + i]) {
        return false;
      }
    }
    return true;
  }

  private expect(wireType: number, field: string): void {
    if (this.wireType !== wireType) {
      if (this.wireType > 2 && this.wireType !== 5) {
        throw this.badTag(`, ${field}, has wire type ${this.wireType}`);
      }
      const details = { offset: this.tagStart, field };
      throw corrupt(`wire type mismatch of ${field} (expected ${wireType}, found ${this.wireType})`, details);
    }
  }

  private truncated(reason: string, field: string): CFileError {
    return new CFileError("E_TRUNCATED", reason, { offset: this.position, field });
  }

  private badTag(reason: string): CFileError {
    return corrupt(`a field of ${this.name}${reason}`, { offset: this.tagStart, field: `${this.name} tag` });
  }
}
