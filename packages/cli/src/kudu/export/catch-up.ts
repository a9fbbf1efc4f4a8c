/**
 * Adds the changes of a Kudu table to its Iceberg table, as one snapshot: the keys of all changed rows as equality deletes, and those of
 * the rows that still exist as new data. Equality deletes apply to earlier snapshots only, so each changed row is in the table once.
 */
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { CFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import { type TableBatch, takeTable } from "@cfile/encodings/batches";
import {
  commitSnapshot,
  type IcebergFile,
  type IcebergSchema,
  type IcebergTable,
  icebergSchema,
  openIcebergTable,
  writeIcebergFile,
} from "@cfile/iceberg";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { WrittenCodec } from "@cfile/parquet/write";
import { parquetCodec } from "../../convert/parquet-codec.js";
import { icebergColumns } from "../../export/iceberg-columns.js";
import { hybridTimeLabel } from "../../options/hybrid-time.js";
import type { CliContext } from "../../program/context.js";
import { UsageError } from "../../program/exit-code.js";
import { counted, sum } from "../../records/quantity.js";
import { missingTablets } from "../cluster/cluster-directories.js";
import { columnsOf, type KuduTables, namesIn, tabletsOfTable } from "../kudu-directory.js";
import type { ExportValues } from "./export-table.js";
import {
  ICEBERG_KEYS,
  icebergFolders,
  lastExport,
  requirePast,
  shortId,
  snapshotSummary,
} from "./iceberg-target.js";
import { partitionedFile } from "./kudu-partitions.js";
import { SharedRows } from "./shared-rows.js";

type CatchUpValues = ExportValues & { readonly from: bigint };

export async function catchUp(context: CliContext, dir: KuduTables, values: CatchUpValues): Promise<void> {
  const { output: path, from, asOf, withLog, partialHistory, where } = values;
  if (where.length > 0 || values.columns !== undefined) {
    throw new UsageError(
      "--from adds changes of all rows and columns of the table (remove --where and --columns)",
    );
  }
  if (values.recover || partialHistory || values.tablet !== undefined) {
    throw new UsageError("--from adds all changes (remove --recover, --partial-history and --tablet)");
  }
  if (asOf !== undefined && asOf < from) {
    throw new UsageError("--as-of is before --from");
  }
  requirePast(asOf);
  const tablets = await tabletsOfTable(dir, values);
  const [missing] = await missingTablets(dir, values);
  if (missing !== undefined) {
    throw missing.error;
  }
  const folders = await icebergFolders(path, values.location, false);
  const table = await openIcebergTable(folders);
  if (table === undefined) {
    throw new CFileError("E_NOT_FOUND", "no Iceberg table (export it first, with --as-of)", { path });
  }
  const columns = exportedColumns(tablets, table, path);
  const codec = parquetCodec("iceberg", values.compression);
  requireStart(table, tablets, values);
  for (const tablet of tablets) {
    await tablet.requireHistory("from", from);
  }
  const written: ChangedFiles[] = [];
  for (const tablet of tablets) {
    const options = { columns: namesIn(tablet, columns), withLog, signal: context.io.signal };
    const rows = tablet.diff(from, asOf ?? LATEST_TIMESTAMP, options);
    const id = digest(`${tablet.id} ${from} ${asOf ?? "latest"}`);
    written.push(await writeChanges({ folder: folders.data.name, id, codec }, columns, rows));
  }
  const { schema, partitionSpec } = table.metadata;
  // If another writer's spec has more fields, their values are unknown.
  const field = partitionSpec?.fields.length === 1 ? partitionSpec.fields[0] : undefined;
  const dataFiles = written.map(({ data }, i) => partitionedFile(data, tablets[i], field, schema));
  const deleteFiles = written.map(({ deletes }) => deletes);
  const changed = sum(deleteFiles.map(({ rows }) => rows));
  const live = sum(dataFiles.map(({ rows }) => rows));
  const id = digest(dataFiles.map(({ name }) => name).join("\n"));
  await commitSnapshot(table, {
    dataFiles,
    deleteFiles,
    summary: snapshotSummary(id, tablets, asOf),
  });
  await context.stdout.line(
    values.json
      ? JSON.stringify({ path, rows: live, rows_deleted: changed - live })
      : `${printable(path)}: ${counted(live, "row")} inserted or updated, ${changed - live} deleted`,
  );
}

/**
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `from` is the end of the table; `E_UNSUPPORTED` if tablets with rows of the table are
 *   gone, because their rows would remain
 */
function requireStart(
  table: IcebergTable,
  tablets: readonly KuduTablet[],
  { from, output: path }: CatchUpValues,
): void {
  const { [ICEBERG_KEYS.asOf]: last, [ICEBERG_KEYS.tablets]: exported = "" } = lastExport(table);
  if (last === undefined) {
    const reason =
      "the last export was not complete, or has no timestamp to continue from (export with --as-of)";
    throw new CFileError("E_INVALID_ARGUMENT", reason, { path, field: "from" });
  }
  if (BigInt(last) !== from) {
    const reason = `--from ${hybridTimeLabel(from)} is not where the table ends: ${hybridTimeLabel(BigInt(last))}`;
    throw new CFileError("E_INVALID_ARGUMENT", reason, { path, field: "from" });
  }
  const present = new Set(tablets.map(shortId));
  const gone = exported.split(",").find((id) => id !== "" && !present.has(id));
  if (gone !== undefined) {
    const reason = `tablet ${gone}… is gone since the last export, and its rows with it (export into a new table)`;
    throw new CFileError("E_UNSUPPORTED", reason, { path, field: "tablets" });
  }
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` for the table of another source or of only a part of it; `E_UNSUPPORTED` for other columns */
function exportedColumns(
  tablets: readonly KuduTablet[],
  { metadata: { properties, schema } }: IcebergTable,
  path: string,
): readonly KuduColumn[] {
  const [tablet] = tablets;
  if (properties[ICEBERG_KEYS.tableId] !== tablet?.tableId) {
    const reason = `the table has rows of "${properties[ICEBERG_KEYS.table]}", not of "${tablet?.tableName}"`;
    throw new CFileError("E_INVALID_ARGUMENT", reason, { path, field: "table" });
  }
  if (properties[ICEBERG_KEYS.where] !== undefined || properties[ICEBERG_KEYS.columns] !== undefined) {
    const reason = "the table was exported with --where or --columns, and cannot take changes";
    throw new CFileError("E_INVALID_ARGUMENT", reason, { path, field: "from" });
  }
  const columns = columnsOf(tablets, undefined);
  const names = columns.map(({ name }) => name);
  if (fieldsText(icebergSchema(icebergColumns(columns, names))) !== fieldsText(schema)) {
    const reason = "the columns of the source and of the table differ (export into a new table)";
    throw new CFileError("E_UNSUPPORTED", reason, { path, field: "columns" });
  }
  return columns;
}

function fieldsText({ fields }: IcebergSchema): string {
  return JSON.stringify(fields.map(({ id, name, required, type }) => [id, name, required, type]));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

interface ChangedFiles {
  readonly data: IcebergFile;
  readonly deletes: IcebergFile;
}

interface ChangedTarget {
  readonly folder: string;
  /** Identifies the changes in file names. */
  readonly id: string;
  readonly codec: WrittenCodec | undefined;
}

type ChangedRows = AsyncGenerator<TableBatch & { readonly deleted: Uint8Array }, void, void>;

/** Writes both files at once: the changes are read once, so that both have the same rows. */
async function writeChanges(
  { folder, id, codec }: ChangedTarget,
  columns: readonly KuduColumn[],
  changes: ChangedRows,
): Promise<ChangedFiles> {
  const schema = icebergSchema(columns);
  const names = columns.map(({ name }) => name);
  const keys = columns.filter(({ isKey }) => isKey);
  const shared = new SharedRows(changes);
  const file = (name: string, rows: AsyncGenerator<TableBatch, void, void>, isDelete: boolean) =>
    writeIcebergFile(
      join(folder, name),
      name,
      { columns: isDelete ? keys : columns, rows },
      { schema, sortedBy: keys.map(({ name: key }) => key), isDelete, parquet: { codec } },
    );
  async function* keyRows(): AsyncGenerator<TableBatch, void, void> {
    for await (const batch of shared.reader()) {
      // The key columns come first.
      yield { ...batch, names: names.slice(0, keys.length), columns: batch.columns.slice(0, keys.length) };
    }
  }
  async function* liveRows(): AsyncGenerator<TableBatch, void, void> {
    for await (const batch of shared.reader()) {
      const isLive = (i: number): boolean => batch.deleted[i] === 0;
      yield takeTable(batch, Uint32Array.from({ length: batch.length }, (_, i) => i).filter(isLive));
    }
  }
  const orFail = <T>(written: Promise<T>): Promise<T> =>
    written.catch(async (error: unknown) => {
      await shared.fail(error);
      throw error;
    });
  const [data, deletes] = await Promise.all([
    orFail(file(`changes-${id}.parquet`, liveRows(), false)),
    orFail(file(`deletes-${id}.parquet`, keyRows(), true)),
  ]);
  for (const { name, rows } of [data, deletes]) {
    if (rows === 0) {
      await rm(join(folder, name));
    }
  }
  return { data, deletes };
}
