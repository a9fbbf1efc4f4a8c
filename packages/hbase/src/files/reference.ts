/**
 * A reference: a file of a new region that stands for a part of a file of an old one (docs/spec/hbase-table.md#43-reference). It has a
 * split key, `u16 row length, row` and an empty family, qualifier and the maximum timestamp, and says which side counts.
 */
import { ByteReader, corrupt } from "@cfile/bytes";
import { decodeReferenceMessage, type ReferenceMessage } from "../generated/decode.js";
import { isPbuf, pbufMessage } from "../root/pbuf.js";
import { readHadoopLength } from "./hadoop-length.js";

/** Which rows of a file count. */
export interface FileReference {
  /** `"top"`: rows from `row` on; `"bottom"`: rows before it. */
  readonly side: "top" | "bottom";
  readonly row: Uint8Array;
}

/** Rows from `from`, inclusive, to `to`, exclusive; `undefined` is unbounded. */
export interface RowBounds {
  readonly from: Uint8Array | undefined;
  readonly to: Uint8Array | undefined;
}

const TOP = 0;
const BOTTOM = 1;

/** The content of a reference. @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` */
export function parseReference(bytes: Uint8Array): FileReference {
  if (isPbuf(bytes)) {
    return fileReferenceOf(decodeReferenceMessage(pbufMessage(bytes, "reference")));
  }
  // Before protobuf: one byte, 1 for the top, and the split key with its length.
  const reader = new ByteReader(bytes);
  const isTop = reader.u8("reference side") !== 0;
  const key = reader.take(readHadoopLength(reader, "split key length"), "split key");
  return { side: isTop ? "top" : "bottom", row: splitRow(key) };
}

/** @throws {CFileError} `E_CORRUPT` for an unknown side or a malformed key */
export function fileReferenceOf({ range = TOP, splitKey }: ReferenceMessage): FileReference {
  if (range !== TOP && range !== BOTTOM) {
    throw corrupt(`invalid reference range: ${range} (expected 0 or 1)`, { field: "range", actual: range });
  }
  return { side: range === TOP ? "top" : "bottom", row: splitRow(splitKey ?? new Uint8Array(0)) };
}

function splitRow(key: Uint8Array): Uint8Array {
  const length = key.length < 2 ? Number.NaN : ((key[0] as number) << 8) | (key[1] as number);
  if (!(length + 2 <= key.length)) {
    throw corrupt("the split key has no complete row", { field: "split key", actual: key.length });
  }
  return key.slice(2, 2 + length);
}
