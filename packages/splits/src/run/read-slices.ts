/** Reads the rows of splits of Hudi tables. */
import { CFileError } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { flatColumns, flatRows, type HudiTable, scanColumns, scanRows } from "@cfile/hudi";
import type { SlicePiece, SliceSplit } from "../lines/split.js";
import { type ReadOptions, requiredHudi } from "./read-options.js";

/** @throws {CFileError} `E_SOURCE_CHANGED` if a file or a column has changed since the split was planned; as `scanRows` */
export async function* readSlices(
  split: SliceSplit,
  options: ReadOptions,
): AsyncGenerator<TableBatch, void, void> {
  const table = requiredHudi(options);
  const { columns, where, instant: asOf, pieces } = split;
  await requireSameColumns(table, split);
  for (const piece of pieces) {
    await requireSameFiles(table, piece);
  }
  const slices = pieces.map(({ partition, fileId, instant, base, logs }) => ({
    partition,
    fileId,
    baseInstant: instant,
    baseFile: base?.path,
    logFiles: logs.map(({ path }) => path),
  }));
  yield* flatRows(scanRows(table, { columns, where, asOf, slices, signal: options.signal }));
}

async function requireSameColumns(table: HudiTable, { schema, instant: asOf }: SliceSplit): Promise<void> {
  const now = flatColumns(await scanColumns(table, { asOf, baseOnly: false }));
  for (const { name, type, array } of schema) {
    const found = now.find((column) => column.name === name);
    if (found?.type !== type || found.array !== array) {
      const details = { path: table.files.tree.name, field: name, expected: type, actual: found?.type };
      throw new CFileError("E_SOURCE_CHANGED", "a column has changed since the split was planned", details);
    }
  }
}

async function requireSameFiles({ files }: HudiTable, { partition, base, logs }: SlicePiece): Promise<void> {
  for (const { path: name, size } of base === undefined ? logs : [base, ...logs]) {
    const path = partition === "" ? name : `${partition}/${name}`;
    const actual = await files.size(path);
    if (actual !== size) {
      const details = { path: files.nameOf(path), field: "file size", expected: size, actual };
      throw new CFileError("E_SOURCE_CHANGED", "the source has changed since the split was planned", details);
    }
  }
}
