/** The Iceberg table of an export: its folder is checked before anything is written; the commit comes last. */
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CFileError } from "@cfile/bytes";
import {
  createIcebergTable,
  history,
  type IcebergSchema,
  type IcebergTable,
  icebergSchema,
  openIcebergTable,
  type TableFolders,
} from "@cfile/iceberg";
import { diskTree, fileDirectory } from "@cfile/io/file";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { Split } from "@cfile/splits";
import type { CodecName } from "../../convert/parquet-codec.js";
import type { ExportParts } from "../../export/export-parts.js";
import type { PartsTable, WrittenParts } from "../../export/export-splits.js";
import { icebergColumns } from "../../export/iceberg-columns.js";
import { unitOf } from "../../export/run-parts.js";
import { hybridTimeLabel, hybridTimeOf, hybridTimeText } from "../../options/hybrid-time.js";
import { packageVersion } from "../../program/package-version.js";
import { columnsOf } from "../kudu-directory.js";
import { partitionedFile, partitionFieldOf } from "./kudu-partitions.js";

/** Names of table properties and of entries of a snapshot's summary. */
export const ICEBERG_KEYS = {
  /** Table properties: ID and name of the table in Kudu, and what the export leaves out. */
  tableId: "cfile.table-id",
  table: "cfile.table",
  source: "cfile.source",
  version: "cfile.version",
  where: "cfile.where",
  columns: "cfile.columns",
  /** Snapshot properties: the snapshot has the rows before this hybrid timestamp. */
  asOf: "cfile.as-of",
  asOfTime: "cfile.as-of-time",
  /** A digest of what was read, and the first digits of the IDs of its tablets. */
  export: "cfile.export",
  tablets: "cfile.tablets",
} as const;

export interface IcebergValues {
  readonly partialHistory: boolean;
  readonly tablet: string | undefined;
  readonly dirs: readonly string[];
  readonly where: readonly string[];
  readonly columns: readonly string[] | undefined;
  readonly asOf: bigint | undefined;
  readonly location: string | undefined;
  readonly compression: CodecName | undefined;
}

interface IcebergSource {
  readonly tablets: readonly KuduTablet[];
  readonly columns: readonly KuduColumn[];
  readonly splits: readonly Split[];
}

export class IcebergTarget {
  readonly dataFolder: string;
  /** Whether the table already has the snapshot of this export, because only its last steps were interrupted. */
  readonly isComplete: boolean;
  private readonly folders: TableFolders;
  private readonly values: IcebergValues;
  private readonly source: IcebergSource;
  private readonly schema: IcebergSchema;

  private constructor(
    folders: TableFolders,
    values: IcebergValues,
    source: IcebergSource,
    schema: IcebergSchema,
    isComplete: boolean,
  ) {
    this.folders = folders;
    this.dataFolder = folders.data.name;
    this.values = values;
    this.source = source;
    this.schema = schema;
    this.isComplete = isComplete;
  }

  /** @throws {CFileError} `E_UNSUPPORTED` for columns that Iceberg lacks; `E_IO` for a folder with another table or other files */
  static async open(path: string, values: IcebergValues, source: IcebergSource): Promise<IcebergTarget> {
    requirePast(values.asOf);
    const names = source.columns.map(({ name }) => name);
    const columns = icebergColumns(columnsOf(source.tablets, undefined), names);
    const schema = icebergSchema(columns);
    await requireOwnFolder(path);
    const folders = await icebergFolders(path, values.location, true);
    const existing = await openIcebergTable(folders);
    const id = exportId(source.splits);
    const isComplete = existing?.metadata.current?.summary[ICEBERG_KEYS.export] === id;
    if (existing !== undefined && !isComplete) {
      const last = lastExport(existing)[ICEBERG_KEYS.asOf];
      const what = existing.metadata.properties[ICEBERG_KEYS.table];
      const reason =
        what === undefined
          ? "the folder holds another table"
          : `the table exists, with rows of "${what}"${last === undefined ? "" : `; add changes with --from ${last}`}`;
      throw new CFileError("E_IO", reason, { path });
    }
    return new IcebergTarget(folders, values, source, schema, isComplete);
  }

  /** The table as the target of its parts. @param isWhole whether the parts have all requested rows */
  whole(isWhole: (parts: WrittenParts["parts"]) => boolean): PartsTable {
    const { dataFolder, values } = this;
    return {
      dataFolder,
      commit: (stored, splits) => {
        const parts = splits.map((split) => ({ split, report: stored.report(split) }));
        const isAll = isWhole(parts) && !values.partialHistory && values.tablet === undefined;
        return this.commit(stored, splits, isAll);
      },
    };
  }

  /** Creates the table from the data files. If rows of the source are missing, its end is not recorded, so it cannot receive changes. */
  private async commit(parts: ExportParts, splits: readonly Split[], isWhole: boolean): Promise<void> {
    const { folders, schema, source, values } = this;
    const [tablet] = source.tablets;
    const { dirs, where, columns, asOf, compression = "zstd" } = values;
    const properties = {
      [ICEBERG_KEYS.table]: tablet?.tableName ?? "",
      [ICEBERG_KEYS.tableId]: tablet?.tableId ?? "",
      [ICEBERG_KEYS.source]: dirs.map((dir) => resolve(dir)).join(" "),
      [ICEBERG_KEYS.version]: packageVersion(),
      ...(where.length > 0 ? { [ICEBERG_KEYS.where]: where.join(" and ") } : {}),
      ...(columns === undefined ? {} : { [ICEBERG_KEYS.columns]: columns.join(",") }),
      "write.parquet.compression-codec": compression === "none" ? "uncompressed" : compression,
    };
    const field = partitionFieldOf(source.tablets, schema);
    const tabletOf = (split: Split) => source.tablets.find(({ id }) => id === unitOf(split));
    const partitionedBy = field === undefined ? [] : [field];
    await parts.sync(splits.filter(({ id }) => (parts.reports.get(id)?.file?.rows ?? 0) > 0));
    await createIcebergTable(
      folders,
      { schema, properties, partitionedBy, sortedBy: schema["identifier-field-ids"] ?? [] },
      {
        dataFiles: splits.flatMap((split) => {
          const file = parts.reports.get(split.id)?.file;
          return file === undefined ? [] : [partitionedFile(file, tabletOf(split), field, schema)];
        }),
        summary: snapshotSummary(exportId(source.splits), source.tablets, isWhole ? asOf : undefined),
      },
    );
    await parts.release(splits);
  }
}

/** The folders of a table. */
export async function icebergFolders(
  path: string,
  location: string | undefined,
  create: boolean,
): Promise<TableFolders> {
  const [data, metadata] = await Promise.all(
    ["data", "metadata"].map((name) => fileDirectory(join(path, name), { create })),
  );
  if (data === undefined || metadata === undefined) {
    throw new CFileError("E_IO", "cannot open the table", { path });
  }
  const dataTree = await diskTree(join(path, "data"));
  return { data, dataTree, metadata, location: location?.replace(/\/+$/, "") ?? resolve(path) };
}

/** The entries of a snapshot's summary that describe its source. */
export function snapshotSummary(
  exported: string,
  tablets: readonly KuduTablet[],
  asOf: bigint | undefined,
): Readonly<Record<string, string>> {
  return {
    [ICEBERG_KEYS.export]: exported,
    [ICEBERG_KEYS.tablets]: tablets.map(shortId).sort().join(","),
    ...(asOf === undefined
      ? {}
      : { [ICEBERG_KEYS.asOf]: String(asOf), [ICEBERG_KEYS.asOfTime]: hybridTimeText(asOf) }),
  };
}

export function shortId({ id }: KuduTablet): string {
  return id.slice(0, 8);
}

/** The summary of the last snapshot from Kudu; later ones of other writers, which rewrite files, are skipped. */
export function lastExport({ metadata }: IcebergTable): Readonly<Record<string, string>> {
  for (const { summary } of history(metadata)) {
    if (summary[ICEBERG_KEYS.export] !== undefined) {
      return summary;
    }
  }
  return {};
}

/** Until a time in the future has passed, writes before it can still arrive. @throws {CFileError} `E_INVALID_ARGUMENT` */
export function requirePast(asOf: bigint | undefined): void {
  const now = hybridTimeOf(BigInt(Date.now()) * 1000n);
  if (asOf !== undefined && asOf > now) {
    throw new CFileError("E_INVALID_ARGUMENT", `--as-of ${hybridTimeLabel(asOf)} is in the future`, {
      field: "asOf",
    });
  }
}

function exportId(splits: readonly Split[]): string {
  return createHash("sha256")
    .update(splits.map(({ id }) => id).join("\n"))
    .digest("hex")
    .slice(0, 32);
}

/** @param isNew whether the folder must be empty or absent */
export async function requireOwnFolder(path: string, isNew = false): Promise<void> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") {
      return [];
    }
    throw error;
  });
  const other = names.find((name) => isNew || (name !== "data" && name !== "metadata"));
  if (other !== undefined) {
    throw new CFileError(
      "E_IO",
      `the folder is not that of ${isNew ? "a new" : "an"} Iceberg table: it has ${JSON.stringify(other)}`,
      { path },
    );
  }
}
