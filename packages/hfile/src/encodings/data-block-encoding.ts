/**
 * HBase's data-block encodings (docs/spec/hfile.md#132-hbase-261s-writer). A block `DATABLKE` begins, decompressed, with the
 * number of its encoding (u16 big-endian); what follows is turned into the cells of an ordinary block.
 */
import { ByteReader, CFileError, type Limits } from "@cfile/bytes";
import type { CellLayout } from "../cells/cell-batch.js";
import { decodeDiff } from "./diff-decoding.js";
import { decodeFastDiff } from "./fast-diff-decoding.js";
import { decodePrefix } from "./prefix-decoding.js";
import { rowIndexCells } from "./row-index-decoding.js";

const ENCODINGS: Readonly<Record<number, string>> = /* @__PURE__ */ Object.freeze({
  0: "NONE",
  2: "PREFIX",
  3: "DIFF",
  4: "FAST_DIFF",
  6: "PREFIX_TREE",
  7: "ROW_INDEX_V1",
});

/**
 * The cells of an encoded body, in the layout of an ordinary one.
 *
 * @throws CFileError `E_UNSUPPORTED` for encodings that are not read, `E_TRUNCATED`, `E_CORRUPT` and `E_LIMIT` for
 *   malformed ones
 */
export function decodeDataBlock(body: Uint8Array, layout: CellLayout, limits: Limits): Uint8Array {
  const reader = new ByteReader(body);
  const id = (reader.u8("data block encoding") << 8) | reader.u8("data block encoding");
  const name = ENCODINGS[id] ?? String(id);
  if (name === "ROW_INDEX_V1") {
    return rowIndexCells(body.subarray(2));
  }
  if (layout.tags) {
    throw new CFileError("E_UNSUPPORTED", `unsupported data block encoding ${name} with tags`, {
      offset: 0,
      field: "data block encoding",
      actual: name,
    });
  }
  switch (name) {
    case "PREFIX":
      return decodePrefix(reader, layout, limits);
    case "DIFF":
      return decodeDiff(reader, layout, limits);
    case "FAST_DIFF":
      return decodeFastDiff(reader, layout, limits);
    default:
      throw new CFileError("E_UNSUPPORTED", `unsupported data block encoding ${name}`, {
        offset: 0,
        field: "data block encoding",
        actual: name,
      });
  }
}
