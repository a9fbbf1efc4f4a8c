/**
 * What the decoders that protobufjs generates from `proto/cfile.proto` are run with, in place of protobufjs's own runtime: that
 * one brings a class for 64-bit integers, floats, base64 and services, a third of all that a page loads to open a file. It is
 * as strict as protobufjs's, tests hold the two together.
 *
 * | bytes | read as |
 * | --- | --- |
 * | tag | varint32, `field number << 3 \| wire type` |
 * | `bool`, `int32`, `uint32`, `int64` | varint64, the lower bits of it |
 * | `string`, `bytes`, message | varint32 length below 2^31, that many bytes |
 *
 * The names are those that the generated code calls.
 */
import { ByteReader, corrupt } from "@cfile/bytes";
import { readVarint32, readVarint64BigInt } from "@cfile/varint";

const FIELD = "protobuf field";
const TAG = "protobuf tag";
const LENGTH = "protobuf length";
const MAX_TAG_LENGTH = 5;
/** Bits of a tag in its fifth byte. */
const MAX_TAG_END = 0x0f;
const MAX_LENGTH = 2 ** 31 - 1;

let decoder: TextDecoder | undefined;

/** A cursor over messages within each other: `len` is the end of the one that is read, and changes with it. */
export class Reader {
  static readonly recursionLimit = 100;

  /** @throws CFileError when it runs out of bytes, here and in all that follows */
  static create(bytes: Uint8Array): Reader {
    return new Reader(bytes);
  }

  readonly discardUnknown = true;
  pos = 0;
  len: number;
  private readonly all: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.all = bytes;
    this.len = bytes.length;
  }

  tag(): number {
    const start = this.pos;
    const tag = this.read((reader) => readVarint32(reader, TAG));
    const last = this.all[this.pos - 1] as number;
    if (this.pos - start === MAX_TAG_LENGTH && last > MAX_TAG_END) {
      throw corrupt("a tag of more than 32 bits", { offset: start, field: TAG });
    }
    return tag;
  }

  size(): number {
    const start = this.pos;
    const length = this.read((reader) => readVarint32(reader, LENGTH));
    if (
      length > MAX_LENGTH ||
      (this.pos - start === MAX_TAG_LENGTH && (this.all[this.pos - 1] as number) > 7)
    ) {
      throw corrupt("a length of 2^31 or more", { offset: start, field: LENGTH });
    }
    return length;
  }

  bool(): boolean {
    return this.varint() !== 0n;
  }

  int32(): number {
    return Number(BigInt.asIntN(32, this.varint()));
  }

  uint32(): number {
    return Number(BigInt.asUintN(32, this.varint()));
  }

  /** A number where that is exact. */
  int64(): number | bigint {
    const value = BigInt.asIntN(64, this.varint());
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  /** Not copied. */
  bytes(): Uint8Array {
    const length = this.size();
    return this.read((reader) => reader.take(length, FIELD));
  }

  /** Ill-formed UTF-8 shows as U+FFFD. */
  string(): string {
    decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    return decoder.decode(this.bytes());
  }

  /** Steps over the value of a field that the schema does not know; a group with all that is in it. */
  skipType(wireType: number, depth: number, fieldNumber: number): void {
    if (depth > Reader.recursionLimit || fieldNumber === 0) {
      throw corrupt(fieldNumber === 0 ? "field number 0" : "groups too deep within each other", {
        offset: this.pos,
        field: TAG,
      });
    }
    switch (wireType) {
      case 0:
        this.varint();
        return;
      case 1:
        this.skip(8);
        return;
      case 2:
        this.skip(this.size());
        return;
      case 3:
        this.skipGroup(depth, fieldNumber);
        return;
      case 5:
        this.skip(4);
        return;
      default:
        throw corrupt(`wire type ${wireType}`, { offset: this.pos, field: TAG });
    }
  }

  private skipGroup(depth: number, fieldNumber: number): void {
    for (;;) {
      const tag = this.tag();
      if ((tag & 7) !== 4) {
        this.skipType(tag & 7, depth + 1, tag >>> 3);
      } else if (tag >>> 3 === fieldNumber) {
        return;
      } else {
        throw corrupt(`the end of group ${tag >>> 3} in group ${fieldNumber}`, {
          offset: this.pos,
          field: TAG,
        });
      }
    }
  }

  private varint(): bigint {
    return this.read((reader) => readVarint64BigInt(reader, FIELD));
  }

  private skip(length: number): void {
    this.read((reader) => reader.skip(length, FIELD));
  }

  private read<T>(take: (reader: ByteReader) => T): T {
    const reader = new ByteReader(this.all, this.pos, this.len);
    const value = take(reader);
    this.pos = reader.position;
    return value;
  }
}

/** What else the generated code asks for. `Long`: none, fields of 64 bits are numbers or bigints. */
export const util = {
  global: globalThis,
  emptyArray: Object.freeze([]),
  Long: undefined,
  newBuffer: (bytes: ArrayLike<number>): Uint8Array => Uint8Array.from(bytes),
  ProtocolError: (reason: string): Error => corrupt(reason),
};

export const roots: Record<string, object> = {};
