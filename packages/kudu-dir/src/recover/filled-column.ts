/** Rebuilds a damaged column: fillers replace lost rows. */
import type { CellValue } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { RecoverableFile } from "@cfile/format/recover";
import { CFileWriter } from "@cfile/format/write";
import { type ByteSource, memorySink, memorySource } from "@cfile/io";

import type { RowSetColumn } from "@cfile/rowset";
import type { LostRows } from "./lost-rows.js";

const STEP = 16384;

/**
 * The column in memory, with `rows` rows. Filled rows are added to `lost`.
 *
 * @throws {CFileError} `E_SOURCE_CHANGED` if the file has changed
 */
export async function filledColumn(
  survey: RecoverableFile,
  column: RowSetColumn,
  rows: number,
  lost: LostRows,
): Promise<ByteSource> {
  const { encoding, compression } = survey.ledger.column;
  const { type, nullable, array } = column;
  const sink = memorySink();
  const writer = new CFileWriter(sink, { type, nullable, array, encoding, compression });
  let row = 0;
  const fill = async (to: number): Promise<void> => {
    lost.add(row, to);
    while (row < to) {
      const length = Math.min(STEP, to - row);
      await writer.append(batchFromValues(column, new Array<CellValue>(length).fill(fillerOf(column))));
      row += length;
    }
  };
  for await (const { entry, batch } of survey.entries()) {
    if (batch !== undefined) {
      await writer.append(batch);
      row += batch.length;
    } else {
      await fill(Math.min(rows, row + (entry.rows ?? rows)));
    }
  }
  await fill(rows);
  await writer.finish();
  return memorySource(sink.bytes(), survey.ledger.path);
}

const FILLERS: Readonly<Record<string, CellValue>> = {
  BOOL: false,
  BINARY: /* @__PURE__ */ new Uint8Array(0),
  INT64: 0n,
  UINT64: 0n,
  INT128: 0n,
};

function fillerOf({ type, nullable, array }: RowSetColumn): CellValue {
  if (nullable) {
    return null;
  }
  return array ? [] : (FILLERS[DATA_TYPES[type].physical] ?? 0);
}
