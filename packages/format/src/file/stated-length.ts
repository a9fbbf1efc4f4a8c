/** The stored length of a block whose encoding states it in its first bytes; for files without an index. */
import { bitmapByteLength } from "@cfile/bytes";
import { DATA_TYPES } from "@cfile/encodings";
import type { BlockColumn } from "../blocks/data-block.js";

const HEADER = 8;

/** Length of an uncompressed block without checksum, or `undefined` when its encoding does not say. */
export function statedBlockLength(start: Uint8Array, column: BlockColumn): number | undefined {
  if (column.nullable || column.array || start.length < 12) {
    return undefined;
  }
  const view = new DataView(start.buffer, start.byteOffset, start.length);
  const { physical, width } = DATA_TYPES[column.type];
  if (column.encoding === "BIT_SHUFFLE") {
    return view.getUint32(8, true);
  }
  if (column.encoding === "PLAIN_ENCODING" && physical !== "BINARY") {
    const count = view.getUint32(0, true);
    return HEADER + (physical === "BOOL" ? bitmapByteLength(count) : count * width);
  }
  return undefined;
}
