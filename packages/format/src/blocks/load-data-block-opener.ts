/** What opens the data blocks of one file, loaded when the file is opened: a reader does without the code for other kinds. */
import type { Limits } from "@cfile/bytes";
import type { DecodingTable } from "@cfile/encodings";
import { type BlockOpener, loadBlockOpener } from "@cfile/encodings";
import type { BlockColumn, DataBlock, DataBlockOpener } from "./data-block.js";
import { PlainDataBlock } from "./plain-data-block.js";

type DataBlockClass = new (
  bytes: Uint8Array,
  column: BlockColumn,
  limits: Limits,
  open: BlockOpener,
) => DataBlock;

type ColumnKind = Pick<BlockColumn, "type" | "encoding" | "nullable" | "array">;

/**
 * What opens the data blocks of a column; loads the code of its encoding alone.
 *
 * @throws CFileError `E_UNSUPPORTED` when the type does not have the encoding
 */
export async function loadDataBlockOpener(
  kind: ColumnKind,
  encodings?: DecodingTable,
): Promise<DataBlockOpener> {
  const [Block, open] = await Promise.all([
    classFor(kind),
    loadBlockOpener(kind.type, kind.encoding, encodings),
  ]);
  return (bytes, column, limits) => new Block(bytes, column, limits, open);
}

async function classFor({ array, nullable }: ColumnKind): Promise<DataBlockClass> {
  if (array) {
    return (await import("./array-data-block.js")).ArrayDataBlock;
  }
  return nullable ? (await import("./nullable-data-block.js")).NullableDataBlock : PlainDataBlock;
}
