/** Writes the bytes of a protobuf message, field by field; `message-reader.ts` shows their layout. */
import { ByteBuilder, utf8Bytes } from "@cfile/bytes";
import { writeLengthPrefixed, writeVarint32, writeVarint64 } from "@cfile/varint";

/** Appends fields in the order of the calls; `undefined` values are omitted. */
export class MessageWriter {
  private readonly out = new ByteBuilder(64);

  /** Writes an `int32` field; negative values take ten bytes. */
  int32(field: number, value: number | undefined): void {
    this.varint(field, value === undefined || value >= 0 ? value : BigInt.asUintN(64, BigInt(value)));
  }

  /** Writes a `uint32` field. */
  uint32(field: number, value: number | undefined): void {
    this.varint(field, value);
  }

  /** Writes a `bool` field. */
  bool(field: number, value: boolean | undefined): void {
    this.varint(field, value === undefined ? undefined : Number(value));
  }

  /** Writes an `int64` field; negative values take ten bytes. */
  int64(field: number, value: bigint | undefined): void {
    this.varint(field, value === undefined ? undefined : BigInt.asUintN(64, value));
  }

  /** Writes a `uint64` field. */
  uint64(field: number, value: bigint | undefined): void {
    this.varint(field, value);
  }

  /** Writes a `uint64` field whose value is a safe integer. */
  count(field: number, value: number | undefined): void {
    this.varint(field, value);
  }

  /** Writes a `fixed64` field. */
  fixed64(field: number, value: bigint | undefined): void {
    if (value !== undefined) {
      writeVarint32(this.out, field * 8 + 1);
      this.out.u32le(Number(value & 0xffffffffn));
      this.out.u32le(Number(value >> 32n));
    }
  }

  /** Writes a `bytes` field. */
  bytes(field: number, value: Uint8Array | undefined): void {
    if (value !== undefined) {
      writeVarint32(this.out, field * 8 + 2);
      writeLengthPrefixed(this.out, value);
    }
  }

  /** Writes a `string` field, as UTF-8. */
  text(field: number, value: string | undefined): void {
    this.bytes(field, value === undefined ? undefined : utf8Bytes(value));
  }

  /** Writes a nested message with its generated encoder. */
  message<T>(field: number, encode: (writer: MessageWriter, message: T) => void, value: T | undefined): void {
    this.bytes(field, value === undefined ? undefined : messageBytes(encode, value));
  }

  /** Writes a packed field of `int32` values; nothing for an empty array. */
  int32s(field: number, values: readonly number[]): void {
    if (values.length > 0) {
      const packed = new ByteBuilder();
      for (const value of values) {
        writeVarint64(packed, value >= 0 ? value : BigInt.asUintN(64, BigInt(value)));
      }
      this.bytes(field, packed.view8());
    }
  }

  /** A copy of the bytes of the message. */
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

/** Encodes a message with its generated encoder. */
export function messageBytes<T>(encode: (writer: MessageWriter, message: T) => void, message: T): Uint8Array {
  const writer = new MessageWriter();
  encode(writer, message);
  return writer.finish();
}
