/**
 * A custom encoding. GROUP_VARINT has an ID in Kudu's footers, but Kudu lacks a codec for it.
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 4 | u32le count n |
 * | 4 | 4 | u32le ordinal |
 * | 8 | rest | group varint sequence of n values |
 */
import { ByteBuilder, ByteReader, invalidArgument } from "@cfile/bytes";
import type {
  BlockBuilder,
  BlockBuilderOptions,
  BlockDecoder,
  BlockEncoding,
  FixedVector,
  SeekPosition,
  SeekTarget,
  Vector,
} from "@cfile/encodings";
import { readGroupVarintSequence, writeGroupVarintSequence } from "@cfile/varint/group-varint";

/** The entry for the table of encodings. */
export const groupVarint: BlockEncoding<"UINT32"> = {
  encoding: "GROUP_VARINT",
  types: ["UINT32"],
  open: async () => (bytes) => new GroupVarintBlock(bytes),
  build: async () => (options) => new GroupVarintBuilder(options),
};

class GroupVarintBlock implements BlockDecoder {
  readonly ordinal: number;
  readonly count: number;
  private readonly values: Uint32Array;

  constructor(bytes: Uint8Array) {
    const reader = new ByteReader(bytes);
    this.count = reader.u32le("value count");
    this.ordinal = reader.u32le("ordinal");
    reader.require(Math.ceil(this.count / 4) * 5, "values");
    this.values = new Uint32Array(this.count);
    readGroupVarintSequence(reader, this.count, this.values, 0, "values");
  }

  decode(from: number, to: number): FixedVector {
    return { kind: "fixed", physical: "UINT32", length: to - from, values: this.values.subarray(from, to) };
  }

  check(): void {}

  seek(target: SeekTarget): SeekPosition {
    const found = this.values.findIndex((value) => value >= Number(target));
    const position = found < 0 ? this.count : found;
    return { position, exact: this.values[position] === Number(target) };
  }
}

class GroupVarintBuilder implements BlockBuilder {
  private readonly blockSize: number;
  private values: number[] = [];

  constructor({ blockSize }: BlockBuilderOptions) {
    this.blockSize = blockSize;
  }

  get count(): number {
    return this.values.length;
  }

  get full(): boolean {
    return 5 * this.count > this.blockSize;
  }

  add(vector: Vector, from: number, to: number): number {
    if (vector.kind !== "fixed" || !(vector.values instanceof Uint32Array)) {
      throw invalidArgument("only UINT32 supports group varints", { field: "vector" });
    }
    this.values.push(...vector.values.subarray(from, to));
    return to - from;
  }

  unitFree(): number {
    return 0;
  }

  finish(ordinal: number): Uint8Array {
    const block = new ByteBuilder();
    block.u32le(this.count);
    block.u32le(ordinal);
    writeGroupVarintSequence(block, this.values);
    this.values = [];
    return block.view8();
  }
}
