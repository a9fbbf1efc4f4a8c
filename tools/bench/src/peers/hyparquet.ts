/**
 * hyparquet and hyparquet-writer with their defaults: Snappy, statistics, and a dictionary where it helps.
 */
import type { ScalarBatch } from "@cfile/encodings";
import { type DecodedArray, parquetRead } from "hyparquet";
import { type BasicType, parquetWriteBuffer } from "hyparquet-writer";
import type { ParquetCodec } from "../peers.js";
import { cellsInTurn } from "./cells-in-turn.js";
import type { ColumnPeer } from "./column-peer.js";

export const HYPARQUET = "hyparquet";
export const HYPARQUET_NULLABLE = "hyparquet, nullable column";

const PARQUET_TYPES: Readonly<Record<string, BasicType>> = {
  INT32: "INT32",
  INT64: "INT64",
  DOUBLE: "DOUBLE",
  BOOL: "BOOLEAN",
  STRING: "STRING",
};

function write(
  batch: ScalarBatch,
  data: DecodedArray,
  nullable = batch.nullCount > 0,
  codec: ParquetCodec = "SNAPPY",
): ArrayBuffer {
  const type = PARQUET_TYPES[batch.type];
  return parquetWriteBuffer({ columnData: [{ name: "c", data, ...(type && { type }), nullable }], codec });
}

/**
 * @param nullable whether the column may have nulls. Default: if it has any, which is faster than the default of
 *   hyparquet-writer
 */
export function hyparquetColumn(
  batch: ScalarBatch,
  nullable = batch.nullCount > 0,
  codec: ParquetCodec = "SNAPPY",
): ColumnPeer {
  const { cells, writing } = cellsInTurn(batch);
  const data = (): DecodedArray => cells() as DecodedArray;
  const file = write(batch, data(), nullable, codec);
  return {
    name: nullable ? HYPARQUET_NULLABLE : HYPARQUET,
    write: () => write(batch, data(), nullable, codec).byteLength,
    writing,
    async read(visit) {
      let rows = 0;
      await parquetRead({
        file,
        columns: ["c"],
        onChunk: ({ columnData }) => {
          rows += columnData.length;
          visit?.(columnData);
        },
      });
      return rows;
    },
  };
}
