/**
 * Protobuf messages field by field, with 64-bit integers as bigint: ids and timestamps use all their bits.
 *
 * | wire type | read by |
 * | --- | --- |
 * | 0 varint | `uint64`, `int64`, `int32`, `bool` |
 * | 1 eight bytes | `fixed64` |
 * | 2 length and bytes | `bytes`, `text`, `message`, `packed` |
 */
import { ByteReader, corrupt } from "@cfile/bytes";
import { readVarint32, readVarint64, readVarint64BigInt, skipProtobufField } from "@cfile/varint";

export class MessageReader {
  /** Name of the message, for errors. */
  readonly name: string;
  private readonly reader: ByteReader;
  private tag = 0;
  private tagOffset = 0;

  constructor(bytes: Uint8Array, name: string) {
    this.reader = new ByteReader(bytes);
    this.name = name;
  }

  /**
   * Goes to the next field and gives its number; 0 behind the last one. The value must then be read or skipped.
   *
   * @throws CFileError `E_TRUNCATED` or `E_CORRUPT`, as all methods
   */
  next(): number {
    if (this.reader.remaining === 0) {
      return 0;
    }
    this.tagOffset = this.reader.position;
    this.tag = readVarint32(this.reader, `${this.name} tag`);
    const number = this.tag >>> 3;
    if (number === 0) {
      throw corrupt(`${this.tag} is no tag of a ${this.name}`, {
        offset: this.tagOffset,
        field: this.name,
      });
    }
    return number;
  }

  skip(): void {
    skipProtobufField(this.reader, this.tag, this.tagOffset, this.name);
  }

  uint64(field: string): bigint {
    this.expect(0, field);
    return readVarint64BigInt(this.reader, field);
  }

  int64(field: string): bigint {
    return BigInt.asIntN(64, this.uint64(field));
  }

  /** A whole number that a number holds exactly, from 0 on: sizes and counts. */
  count(field: string): number {
    this.expect(0, field);
    return readVarint64(this.reader, field);
  }

  int32(field: string): number {
    return Number(BigInt.asIntN(32, this.uint64(field)));
  }

  bool(field: string): boolean {
    return this.uint64(field) !== 0n;
  }

  fixed64(field: string): bigint {
    this.expect(1, field);
    return this.reader.u64le(field);
  }

  bytes(field: string): Uint8Array {
    this.expect(2, field);
    return this.reader.take(readVarint32(this.reader, field), field);
  }

  text(field: string): string {
    return new TextDecoder().decode(this.bytes(field));
  }

  message(field: string): MessageReader {
    return new MessageReader(this.bytes(field), field);
  }

  /** An int32 of a repeated field, or all of them packed together. */
  int32s(field: string): number[] {
    if ((this.tag & 7) === 0) {
      return [this.int32(field)];
    }
    const packed = new ByteReader(this.bytes(field));
    const values: number[] = [];
    while (packed.remaining > 0) {
      values.push(Number(BigInt.asIntN(32, readVarint64BigInt(packed, field))));
    }
    return values;
  }

  private expect(wireType: number, field: string): void {
    if ((this.tag & 7) !== wireType) {
      throw corrupt(`${field} of ${this.name} has wire type ${this.tag & 7}, expected ${wireType}`, {
        offset: this.tagOffset,
        field,
      });
    }
  }
}

/**
 * The value of a field that a message must have.
 *
 * @throws CFileError `E_CORRUPT` when it is `undefined`
 */
export function required<T>(value: T | undefined, message: string, field: string): T {
  if (value === undefined) {
    throw corrupt(`a ${message} without ${field}`, { field });
  }
  return value;
}
