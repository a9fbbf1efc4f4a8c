/** Loads the code that opens the data blocks of a column; code for other encodings and layouts is not loaded. */
import type { Limits } from "@cfile/bytes";
import { type BlockOpener, type DecodingTable, loadBlockOpener } from "@cfile/encodings";
import type { BlockColumn, DataBlock, DataBlockOpener } from "./data-block.js";
import { PlainDataBlock } from "./plain-data-block.js";

type DataBlockClass = new (
  bytes: Uint8Array,
  column: BlockColumn,
  limits: Limits,
  open: BlockOpener,
) => DataBlock;

/**
 * The opener of a column's data blocks; only the code of its encoding is loaded.
 *
 * @throws {CFileError} `E_UNSUPPORTED` when the type does not support the encoding
 */
export async function loadDataBlockOpener(
  { type, encoding, nullable, array }: Pick<BlockColumn, "type" | "encoding" | "nullable" | "array">,
  encodings?: DecodingTable,
): Promise<DataBlockOpener> {
  const loading = loadBlockOpener(type, encoding, encodings);
  const [Block, open] = await Promise.all([blockClass(array, nullable), loading]);
  return (bytes, column, limits) => new Block(bytes, column, limits, open);
}

async function blockClass(array: boolean, nullable: boolean): Promise<DataBlockClass> {
  if (array) {
    return (await import("./array-data-block.js")).ArrayDataBlock;
  }
  return nullable ? (await import("./nullable-data-block.js")).NullableDataBlock : PlainDataBlock;
}
