/**
 * Encodes protobuf messages field by field, for the metadata files of a server
 * (docs/spec/kudu-data-dir.md#2-instance-messages, docs/spec/kudu-data-dir.md#5-log-block-manager and
 * docs/spec/kudu-data-dir.md#7-superblock).
 */
import { ByteBuilder } from "@cfile/bytes";
import { writeVarint32, writeVarint64 } from "@cfile/varint";

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;

export class MessageBytes {
  private readonly out = new ByteBuilder();

  /** Signed integers, enumerations and flags. */
  varint(field: number, value: number | bigint | boolean): this {
    this.tag(field, VARINT);
    writeVarint64(this.out, BigInt.asUintN(64, BigInt(value)));
    return this;
  }

  /** A packed repeated field of unsigned integers. */
  packed(field: number, values: readonly number[]): this {
    const packed = new ByteBuilder();
    for (const value of values) {
      writeVarint32(packed, value);
    }
    return this.bytes(field, packed.view8());
  }

  fixed64(field: number, value: bigint): this {
    this.tag(field, FIXED64);
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, value, true);
    this.out.append(bytes);
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.tag(field, LENGTH);
    writeVarint32(this.out, value.length);
    this.out.append(value);
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  message(field: number, value: MessageBytes): this {
    return this.bytes(field, value.finish());
  }

  finish(): Uint8Array {
    return this.out.view8().slice();
  }

  private tag(field: number, wireType: number): void {
    writeVarint32(this.out, field * 8 + wireType);
  }
}

/** `BlockIdPB` */
export function blockIdMessage(id: bigint): MessageBytes {
  return new MessageBytes().fixed64(1, id);
}
