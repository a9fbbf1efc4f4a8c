/**
 * Finds the end of a data block that has neither checksum nor index entry, from its counts and lengths
 * (docs/spec/cfile.md#41-layouts and docs/spec/cfile.md#5-encodings). This is impossible for compressed blocks.
 */
import { ByteReader, bitmapByteLength, corrupt } from "@cfile/bytes";
import { DATA_TYPES } from "@cfile/encodings";
import { readVarint32 } from "@cfile/varint";
import { groupVarintLength, readGroupVarint } from "@cfile/varint/group-varint";
import type { BlockColumn } from "../../blocks/data-block.js";

/**
 * Length of the uncompressed block at the start of `bytes`.
 *
 * @throws {CFileError} `E_TRUNCATED` when the block extends beyond `bytes`, `E_CORRUPT` when they are not such a block
 */
export function dataBlockLength(bytes: Uint8Array, column: BlockColumn): number {
  const reader = new ByteReader(bytes);
  if (column.array) {
    readVarint32(reader, "element count");
    readVarint32(reader, "row count");
    for (const field of ["element bitmap", "element numbers", "row bitmap"]) {
      reader.skip(readVarint32(reader, `${field} length`), field);
    }
  } else if (column.nullable) {
    readVarint32(reader, "row count");
    reader.skip(readVarint32(reader, "null bitmap length"), "null bitmap");
  }
  skipValues(reader, column);
  return reader.position;
}

function skipValues(reader: ByteReader, { type, encoding }: BlockColumn): void {
  const { physical, width } = DATA_TYPES[type];
  if (encoding === "BIT_SHUFFLE") {
    skipBitshuffle(reader);
  } else if (encoding === "RLE") {
    skipRle(reader, physical === "BOOL" ? 1 : 8 * width);
  } else if (encoding === "PREFIX_ENCODING") {
    skipPrefix(reader);
  } else if (encoding === "DICT_ENCODING" && reader.u32le("mode") === 1) {
    skipBitshuffle(reader);
  } else if (physical === "BINARY") {
    skipPlainBinary(reader);
  } else {
    const count = reader.u32le("count");
    reader.skip(4, "ordinal");
    reader.skip(physical === "BOOL" ? bitmapByteLength(count) : count * width, "values");
  }
}

/** The third word of a bitshuffle block is its size. */
function skipBitshuffle(reader: ByteReader): void {
  const start = reader.position;
  reader.skip(8, "header");
  const size = reader.u32le("block size");
  reader.skip(Math.max(0, start + size - reader.position), "chunks");
}

function skipPlainBinary(reader: ByteReader): void {
  const start = reader.position;
  reader.skip(4, "ordinal");
  const count = reader.u32le("count");
  const offsets = reader.u32le("offsets position");
  reader.skip(Math.max(0, start + offsets - reader.position), "values");
  for (let i = 0; i < count; i += 4) {
    reader.skip(groupVarintLength(reader.u8("offsets")) - 1, "offsets");
  }
}

/** Skips runs of `count` values in total; the last literal run may be short. */
function skipRle(reader: ByteReader, width: number): void {
  const count = reader.u32le("count");
  reader.skip(4, "ordinal");
  for (let left = count; left > 0; ) {
    const header = readVarint32(reader, "run header");
    const literal = (header & 1) === 1;
    const values = literal ? 8 * (header >>> 1) : header >>> 1;
    if (values === 0) {
      throw corrupt("run without values", { offset: reader.position, field: "run header" });
    }
    reader.skip(Math.ceil(literal ? (Math.min(left, values) * width) / 8 : width / 8), "run");
    left -= values;
  }
}

function skipPrefix(reader: ByteReader): void {
  const header = new Uint32Array(4);
  readGroupVarint(reader, header, 0, "header");
  const [count = 0, , interval = 0] = header;
  for (let i = 0; i < count; i++) {
    readVarint32(reader, "shared");
    reader.skip(readVarint32(reader, "non-shared"), "value");
  }
  const restarts = count === 0 || interval === 0 ? 0 : Math.floor((count - 1) / interval);
  reader.skip(4 * restarts + 4, "restarts");
}
