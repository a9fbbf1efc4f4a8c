/** The bytes of a protobuf message, field by field; `message-reader.ts` has their layout. */
import { ByteBuilder, utf8Bytes } from "@cfile/bytes";
import { writeVarint32, writeVarint64 } from "@cfile/varint";

/** Appends fields in the order of the calls; `undefined` values are left out. */
export class MessageWriter {
  private readonly out = new ByteBuilder(64);

  /** A signed 32-bit integer; negative ones take ten bytes. */
  int32(field: number, value: number | undefined): void {
    this.varint(field, value === undefined || value >= 0 ? value : BigInt.asUintN(64, BigInt(value)));
  }

  /** Writes a `uint32` field; nothing for `undefined`, which goes for all methods. */
  /** An unsigned 32-bit integer. */
  uint32(field: number, value: number | undefined): void {
    this.varint(field, value);
  }

  /** Writes a `bool` field. */
  /** 1 for `true`, 0 for `false`. */
  bool(field: number, value: boolean | undefined): void {
    this.varint(field, value === undefined ? undefined : Number(value));
  }

  /** Writes an `int64` field. */
  /** A signed 64-bit integer; negative ones take ten bytes. */
  int64(field: number, value: bigint | undefined): void {
    this.varint(field, value === undefined ? undefined : BigInt.asUintN(64, value));
  }

  /** Writes a `uint64` field. */
  /** An unsigned 64-bit integer. */
  uint64(field: number, value: bigint | undefined): void {
    this.varint(field, value);
  }

  /** A 64-bit integer that is an exact number, from 0 on. */
  count(field: number, value: number | undefined): void {
    this.varint(field, value);
  }

  /** Writes a `fixed64` field. */
  /** An unsigned integer as eight bytes, little-endian. */
  fixed64(field: number, value: bigint | undefined): void {
    if (value !== undefined) {
      writeVarint32(this.out, field * 8 + 1);
      this.out.u32le(Number(value & 0xffffffffn));
      this.out.u32le(Number(value >> 32n));
    }
  }

  /** Writes a `bytes` field. */
  /** Length-prefixed bytes, copied. */
  bytes(field: number, value: Uint8Array | undefined): void {
    if (value !== undefined) {
      writeVarint32(this.out, field * 8 + 2);
      writeVarint32(this.out, value.length);
      this.out.append(value);
    }
  }

  /** Writes a `string` field, as UTF-8. */
  /** UTF-8 text. */
  text(field: number, value: string | undefined): void {
    this.bytes(field, value === undefined ? undefined : utf8Bytes(value));
  }

  /** Writes a message as a field. */
  /** A message within this one, by its generated encoder. */
  message<T>(field: number, encode: (writer: MessageWriter, message: T) => void, value: T | undefined): void {
    if (value !== undefined) {
      this.bytes(field, messageBytes(encode, value));
    }
  }

  /** A packed field; nothing without values. */
  int32s(field: number, values: readonly number[]): void {
    if (values.length > 0) {
      const packed = new ByteBuilder();
      for (const value of values) {
        writeVarint64(packed, value >= 0 ? value : BigInt.asUintN(64, BigInt(value)));
      }
      this.bytes(field, packed.view8());
    }
  }

  /** The message's bytes. Nothing may be written after. */
  /** The bytes of the message, a copy. */
  finish(): Uint8Array {
    return this.out.finish();
  }

  private varint(field: number, value: number | bigint | undefined): void {
    if (value !== undefined) {
      writeVarint32(this.out, field * 8);
      writeVarint64(this.out, value);
    }
  }
}

/** A whole message, by an encoder that was generated. */
export function messageBytes<T>(encode: (writer: MessageWriter, message: T) => void, message: T): Uint8Array {
  const writer = new MessageWriter();
  encode(writer, message);
  return writer.finish();
}
