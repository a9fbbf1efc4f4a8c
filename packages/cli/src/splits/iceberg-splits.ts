/** The Iceberg table whose data files are those of splits. */
import { join } from "node:path";
import { CFileError, toHex } from "@cfile/bytes";
import { type IcebergFile, type IcebergFileColumn, icebergSchema, writeIcebergFile } from "@cfile/iceberg";
import type { WrittenCodec } from "@cfile/parquet/write";
import type { JsonFields } from "@cfile/rowset/store";
import type { Split } from "@cfile/splits";
import { type ReadSplitOptions, splitFileName, writeSplit } from "@cfile/splits/run";
import { icebergColumns } from "../export/iceberg-columns.js";
import { splitTarget } from "./split-target.js";

/** The schema of the table, and the columns by which each file is sorted. Columns without IDs are numbered. */
export function icebergTableOf({ kind, schema, columns }: Split) {
  const ids = new Set(schema.map(({ id }) => id));
  const hasIds = ids.size === schema.length && !ids.has(0);
  const own = schema.map((column, i) => ({ ...column, id: hasIds ? column.id : i + 1 }));
  const known = icebergColumns(own, columns);
  // A split of row sets may read several of them in sequence, so its file is not sorted.
  const sorted = kind === "tablet" ? known.filter(({ isKey }) => isKey) : [];
  return { schema: icebergSchema(known), sortedBy: sorted.map(({ name }) => name) };
}

/** The folder of the data files in that of the table. */
export function dataFolder(table: string): string {
  return join(table, "data");
}

/**
 * Writes the rows of a split as a data file.
 *
 * @throws {CFileError} `E_UNSUPPORTED` for columns that Iceberg cannot represent; as `writeSplit`
 */
export async function runIcebergSplit(
  split: Split,
  folder: string,
  {
    codec,
    ...options
  }: ReadSplitOptions & { readonly recover: boolean; readonly codec: WrittenCodec | undefined },
) {
  const table = icebergTableOf(split);
  const name = splitFileName(split);
  const { written, ...result } = await writeSplit(split, options, async (rows) =>
    writeIcebergFile(await splitTarget(folder, name), name, rows, { ...table, parquet: { codec } }),
  );
  const { sortOrderId: _, ...file } = written;
  const iceberg = { ...file, groupOffsets: file.groupOffsets.map(String) };
  return { rows: file.rows, bytes: file.bytes, iceberg, ...result };
}

const MAX_ID = 0x7fffffff;

/**
 * The data file that a worker reported.
 *
 * @throws {CFileError} `E_CORRUPT` for any other JSON
 */
export function reportedFile(json: JsonFields, split: Split): IcebergFile {
  const { schema, sortedBy } = icebergTableOf(split);
  const name = json.string("name");
  if (name !== splitFileName(split)) {
    throw json.wrong("name", `must be ${splitFileName(split)}`, name);
  }
  const columns = json.objects("columns").map((column): IcebergFileColumn => {
    const bound = (field: "lower" | "upper") =>
      column.has(field) ? { [field]: toHex(column.bytes(field)) } : {};
    return {
      id: column.integer("id", MAX_ID),
      bytes: column.integer("bytes"),
      values: column.integer("values"),
      nulls: column.integer("nulls"),
      ...bound("lower"),
      ...bound("upper"),
    };
  });
  if (columns.length !== schema.fields.length) {
    throw json.wrong("columns", `must be ${schema.fields.length}`, columns.length);
  }
  const groupOffsets = json.strings("groupOffsets").map((text) => {
    if (!/^\d{1,15}$/.test(text)) {
      throw json.wrong("groupOffsets", "must be offsets", text);
    }
    return Number(text);
  });
  const file = { name, rows: json.integer("rows"), bytes: json.integer("bytes"), columns, groupOffsets };
  return { ...file, sortOrderId: sortedBy.length > 0 ? 1 : null };
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless there are splits, all of one table */
export function commonTable(splits: readonly Split[]): Split {
  const [first, ...others] = splits;
  const columnsOf = ({ kind, schema, columns }: Split): string => {
    const described = schema.map(({ id, name, type, nullable, array, precision, scale, isKey }) => {
      return [id, name, type, nullable, array, precision, scale, isKey];
    });
    return JSON.stringify([kind, described, columns]);
  };
  if (first === undefined) {
    throw new CFileError("E_INVALID_ARGUMENT", "there are no splits, so that the columns are unknown", {
      field: "splits",
    });
  }
  if (others.some((split) => columnsOf(split) !== columnsOf(first))) {
    throw new CFileError("E_INVALID_ARGUMENT", "the splits are not those of one table", { field: "splits" });
  }
  return first;
}
