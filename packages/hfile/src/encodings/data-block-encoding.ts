/**
 * HBase's data-block encodings (docs/spec/hfile.md#132-hbase-261s-writer). A decompressed block `DATABLKE` starts with the number of
 * its encoding (u16 big-endian); the rest is decoded to the cells of an ordinary block.
 */
import { ByteReader, CFileError, type Limits } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import { mismatch } from "../blocks/mismatch.js";
import type { CellLayout } from "../cells/cell-batch.js";
import { CellRebuilder } from "./cell-rebuilder.js";
import { decodeDiff } from "./diff-decoding.js";
import { decodeFastDiff } from "./fast-diff-decoding.js";

const ENCODINGS: Readonly<Record<number, string>> = /* @__PURE__ */ Object.freeze({
  0: "NONE",
  2: "PREFIX",
  3: "DIFF",
  4: "FAST_DIFF",
  6: "PREFIX_TREE",
  7: "ROW_INDEX_V1",
});

const DECODERS: Readonly<Record<string, typeof decodeDiff>> = /* @__PURE__ */ Object.freeze({
  PREFIX: decodePrefix,
  DIFF: decodeDiff,
  FAST_DIFF: decodeFastDiff,
});

/**
 * The cells of an encoded body, in the layout of an ordinary one.
 * @throws {CFileError} `E_UNSUPPORTED` for encodings that are not read, `E_TRUNCATED`, `E_CORRUPT` and `E_LIMIT` for
 *   malformed ones
 */
export function decodeDataBlock(body: Uint8Array, layout: CellLayout, limits: Limits): Uint8Array {
  const reader = new ByteReader(body);
  const id = (reader.u8("data block encoding") << 8) | reader.u8("data block encoding");
  const name = ENCODINGS[id] ?? String(id);
  if (name === "ROW_INDEX_V1") {
    return rowIndexCells(body.subarray(2));
  }
  const decode = DECODERS[name];
  if (decode === undefined) {
    const reason = `unsupported data block encoding ${name}`;
    throw new CFileError("E_UNSUPPORTED", reason, { offset: 0, field: "data block encoding", actual: name });
  }
  return decode(reader, layout, limits);
}

/**
 * PREFIX: u32 bytes of all cells when decoded; per cell as varints the number of key bytes that follow, the value length, and the
 * number of bytes shared with the previous key; then key bytes, value, tags and MVCC
 * number.
 */
function decodePrefix(reader: ByteReader, layout: CellLayout, limits: Limits): Uint8Array {
  const cells = new CellRebuilder(reader, layout, limits);
  while (reader.remaining > 0) {
    const rest = readVarint32(reader, "key length");
    const valueLength = readVarint32(reader, "value length");
    const common = readVarint32(reader, "common key length");
    cells.beginCell(common + rest, valueLength);
    if (common > 0) {
      cells.fromPrevious(common, "common key");
    }
    cells.fromInput(rest, "key");
    cells.end();
  }
  return cells.finish();
}

/** ROW_INDEX_V1: ordinary cells (not copied), u32 number of rows, u32 start of each row, u32 length of the cells. */
function rowIndexCells(body: Uint8Array): Uint8Array {
  const tail = new ByteReader(body, Math.max(0, body.length - 4));
  const length = tail.u32be("cells length");
  const reader = new ByteReader(body);
  const cells = reader.take(length, "cells");
  const rows = reader.u32be("row count");
  if (4 * rows + 4 !== reader.remaining) {
    throw mismatch("row count", length, `at most ${reader.remaining / 4}`, rows);
  }
  return cells;
}
