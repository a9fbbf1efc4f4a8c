/**
 * The fields of a protobuf message, one after the other. A field is a tag, `field number << 3 | wire type`, and a value:
 *
 * | wire type | value | read by |
 * | --- | --- | --- |
 * | 0 | varint of up to ten bytes | `int32`, `uint32`, `bool`, `int64`, `uint64`, `count` |
 * | 1 | eight bytes | `fixed64` |
 * | 2 | varint length below 2^31, that many bytes | `bytes`, `text`, `message`, `int32s` |
 * | 3 … 4 | a group: fields up to the end tag with the same number | `skip` |
 * | 5 | four bytes | `skip` |
 *
 * Tags and lengths take at most five bytes and 32 bits. A known field with another wire type is damage, and so is a 32-bit
 * integer of more bits: protobuf's own decoders would take the one for an unknown field, and drop bits of the other.
 */
import { CFileError, corrupt } from "@cfile/bytes";

const MAX_VARINT_LENGTH = 10;
/** Of tags and lengths. */
const MAX_SHORT_LENGTH = 5;
const MAX_GROUP_DEPTH = 100;

let utf8: TextDecoder | undefined;

/** A cursor over a message. All methods throw `E_TRUNCATED` or `E_CORRUPT` with the field's name and offset. */
export class MessageReader {
  private readonly input: Uint8Array;
  /** What errors call the message. */
  private readonly name: string;
  private readonly start: number;
  private readonly end: number;
  private position: number;
  private wireType = 0;
  private fieldNumber = 0;
  private tagStart: number;
  /** Bits 32 to 63 of the last varint. */
  private high = 0;

  /** Reads `bytes[start..end)`; errors have offsets from the beginning of `bytes`. */
  constructor(bytes: Uint8Array, name: string, start = 0, end = bytes.length) {
    this.input = bytes;
    this.name = name;
    this.start = start;
    this.position = start;
    this.tagStart = start;
    this.end = end;
  }

  /** Goes to the next field and gives its number; 0 behind the last one. Its value must then be read or skipped. */
  next(): number {
    if (this.position >= this.end) {
      return 0;
    }
    this.tagStart = this.position;
    // Most tags are one byte, and most readers read nothing but known fields: no text is made for them.
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

  /** Steps over the value of an unknown field; a group with all that is in it. */
  skip(depth = 0): void {
    const field = `${this.name} field`;
    switch (this.wireType) {
      case 0:
        this.varint(field);
        break;
      case 1:
        this.take(8, field);
        break;
      case 2:
        this.take(this.length(field), field);
        break;
      case 3:
        this.skipGroup(depth + 1);
        break;
      case 5:
        this.take(4, field);
        break;
      default:
        throw this.badTag(` has wire type ${this.wireType}`);
    }
  }

  private skipGroup(depth: number): void {
    const { fieldNumber: group, tagStart } = this;
    if (depth > MAX_GROUP_DEPTH) {
      throw this.badTag(` is a group in ${MAX_GROUP_DEPTH} others`);
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

  /**
   * The value of an `int32` field; more than 32 bits are an error.
   *
   * @throws CFileError `E_CORRUPT` for another wire type, `E_TRUNCATED` at the message's end
   */
  int32(field: string): number {
    this.expect(0, field);
    return this.signed32(field);
  }

  /**
   * The value of a `uint32` field; more than 32 bits are an error.
   *
   * @throws CFileError `E_CORRUPT` for another wire type, `E_TRUNCATED` at the message's end
   */
  uint32(field: string): number {
    this.expect(0, field);
    const start = this.position;
    const value = this.varint(field);
    return this.high === 0 ? value : this.tooLarge(start, field);
  }

  /**
   * The value of a `bool` field.
   *
   * @throws CFileError `E_CORRUPT` for another wire type, `E_TRUNCATED` at the message's end
   */
  bool(field: string): boolean {
    this.expect(0, field);
    return (this.varint(field) | this.high) !== 0;
  }

  /**
   * The value of a `uint64` field.
   *
   * @throws CFileError `E_CORRUPT` for another wire type, `E_TRUNCATED` at the message's end
   */
  uint64(field: string): bigint {
    this.expect(0, field);
    const low = this.varint(field);
    return (BigInt(this.high) << 32n) | BigInt(low);
  }

  /**
   * The value of an `int64` field.
   *
   * @throws CFileError `E_CORRUPT` for another wire type, `E_TRUNCATED` at the message's end
   */
  int64(field: string): bigint {
    return BigInt.asIntN(64, this.uint64(field));
  }

  /** A 64-bit integer that a number holds exactly, from 0 on: offsets, sizes and counts. */
  count(field: string): number {
    this.expect(0, field);
    const start = this.position;
    const value = this.varint(field) + this.high * 2 ** 32;
    if (value > Number.MAX_SAFE_INTEGER) {
      throw corrupt(`${field} is above 2^53 - 1`, { offset: start, field });
    }
    return value;
  }

  /**
   * The value of a `fixed64` field.
   *
   * @throws CFileError `E_CORRUPT` for another wire type, `E_TRUNCATED` at the message's end
   */
  fixed64(field: string): bigint {
    this.expect(1, field);
    const start = this.take(8, field);
    return new DataView(this.input.buffer, this.input.byteOffset + start, 8).getBigUint64(0, true);
  }

  /** Length-prefixed bytes, a view into the message. */
  bytes(field: string): Uint8Array {
    this.expect(2, field);
    const start = this.take(this.length(field), field);
    return this.input.subarray(start, this.position);
  }

  /** UTF-8 text; ill-formed bytes become U+FFFD. */
  text(field: string): string {
    utf8 ??= new TextDecoder("utf-8", { ignoreBOM: true });
    return utf8.decode(this.bytes(field));
  }

  /**
   * A reader of the message that is the field's value.
   *
   * @throws CFileError `E_CORRUPT` for another wire type, `E_TRUNCATED` at the message's end
   */
  message(field: string): MessageReader {
    this.expect(2, field);
    const start = this.take(this.length(field), field);
    return new MessageReader(this.input, field, start, this.position);
  }

  /** Appends an integer of a repeated field, or all of them packed together, to `values`. */
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

  /**
   * The value of a field that the message must have.
   *
   * @throws CFileError `E_CORRUPT` when it is `undefined`
   */
  required<T>(value: T | undefined, field: string): T {
    if (value === undefined) {
      throw corrupt(`${this.name} has no ${field}`, { offset: this.start, field });
    }
    return value;
  }

  /** The lower 32 bits of a varint; the upper ones are then in `high`. Bits above 64 are dropped. */
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
    throw corrupt(`${field} is a varint of more than ${MAX_VARINT_LENGTH} bytes`, {
      offset: this.position,
      field,
    });
  }

  /** Negative ones have ten bytes. */
  private signed32(field: string): number {
    const start = this.position;
    const value = this.varint(field) | 0;
    return this.high === (value >> 31) >>> 0 || this.high === 0 ? value : this.tooLarge(start, field);
  }

  private tooLarge(offset: number, field: string): never {
    throw corrupt(`${field} of ${this.name} has more than 32 bits`, { offset, field });
  }

  /** A varint of 32 bits: a tag or a length. */
  private short(field: string): number {
    const start = this.position;
    const value = this.varint(field);
    if (this.high !== 0 || this.position - start > MAX_SHORT_LENGTH) {
      throw corrupt(`a tag or length of ${field} has more than 32 bits`, { offset: start, field });
    }
    return value;
  }

  private length(field: string): number {
    const start = this.position;
    const length = this.short(field);
    if (length >= 2 ** 31) {
      throw corrupt(`${field} has a length of 2^31 or more`, { offset: start, field });
    }
    return length;
  }

  /** Steps over bytes and gives where they begin. */
  private take(length: number, field: string): number {
    const start = this.position;
    if (length > this.end - start) {
      throw this.truncated(`${field} needs ${length} bytes, ${this.end - start} are left`, field);
    }
    this.position = start + length;
    return start;
  }

  private expect(wireType: number, field: string): void {
    if (this.wireType !== wireType) {
      if (this.wireType > 2 && this.wireType !== 5) {
        throw this.badTag(`, ${field}, has wire type ${this.wireType}`);
      }
      const reason = `${field} has wire type ${this.wireType}, expected ${wireType}`;
      throw corrupt(reason, { offset: this.tagStart, field });
    }
  }

  private truncated(reason: string, field: string): CFileError {
    return new CFileError("E_TRUNCATED", reason, { offset: this.position, field });
  }

  private badTag(reason: string): CFileError {
    return corrupt(`a field of ${this.name}${reason}`, { offset: this.tagStart, field: `${this.name} tag` });
  }
}
