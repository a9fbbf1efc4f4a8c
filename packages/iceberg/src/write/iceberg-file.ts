/** Writes the data files and delete files of a table: Parquet with field IDs, sorted by the key. */
import { CFileError, toHex } from "@cfile/bytes";
import type { TableRows } from "@cfile/format";
import type { SinkInput } from "@cfile/io";
import { type ExportOptions, exportParquet } from "@cfile/parquet/write";
import { fieldIds, type IcebergSchema } from "../schema/iceberg-schema.js";
import type { PartitionValue } from "../schema/partition.js";
import { serializedBounds } from "../schema/single-value.js";

/** Statistics of a column; bounds in hexadecimal digits. */
export interface IcebergFileColumn {
  readonly id: number;
  readonly bytes: number;
  readonly values: number;
  readonly nulls: number;
  readonly lower?: string;
  readonly upper?: string;
}

/** A written file, as JSON that workers can send. */
export interface IcebergFile {
  /** Name in the folder `data`. */
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly columns: readonly IcebergFileColumn[];
  readonly groupOffsets: readonly number[];
  /** `null` for files that are not sorted. */
  readonly sortOrderId: number | null;
  /** For data files in a partition: the value of each field of the table's default spec. */
  readonly partition?: readonly PartitionValue[] | undefined;
  /** For delete files: the IDs of the columns by which rows are deleted. */
  readonly equalityIds?: readonly number[];
}

/** How the rows are written. */
export interface IcebergFileOptions {
  readonly schema: IcebergSchema;
  /** Names of the columns by which the rows are sorted; recorded, not checked. */
  readonly sortedBy?: readonly string[] | undefined;
  /** Whether the rows are the keys of deleted rows. */
  readonly isDelete?: boolean | undefined;
  /** Further Parquet options. Default: Bloom filters for key columns, and the defaults of `exportParquet`. */
  readonly parquet?: ExportOptions | undefined;
}

/**
 * Writes a file of the folder `data`.
 *
 * @param name the name in that folder
 * @throws {CFileError} `E_UNSUPPORTED` for strings that are not UTF-8; as `exportParquet`
 */
export async function writeIcebergFile(
  target: SinkInput,
  name: string,
  table: TableRows,
  { schema, sortedBy = [], isDelete = false, parquet }: IcebergFileOptions,
): Promise<IcebergFile> {
  const fields = table.columns.map((column) => {
    const field = schema.fields.find((one) => one.name === column.name);
    if (field === undefined) {
      throw new CFileError("E_INVALID_ARGUMENT", `no column ${JSON.stringify(column.name)} in the table`, {
        field: "columns",
      });
    }
    return field;
  });
  const keys = schema["identifier-field-ids"] ?? [];
  const filtered = fields.filter(({ id, type }) => keys.includes(id) && type !== "boolean");
  const written = await exportParquet(target, table, {
    bloomFilters: isDelete ? [] : filtered.map((field) => field.name),
    sortedBy,
    fieldIds: new Map(fields.map((field) => [field.name, fieldIds(field)])),
    keyValues: { "iceberg.schema": JSON.stringify({ ...schema, fields }) },
    ...parquet,
  });
  const columns = fields.flatMap((field, i): IcebergFileColumn[] => {
    const { bytes, values, nulls, bounds, isText } = written.columns[i] ?? NOTHING;
    const scalar = typeof field.type === "string" ? field.type : field.type.element;
    if (!isText && scalar === "string") {
      const reason = `column ${JSON.stringify(field.name)} has strings that are not UTF-8, as Iceberg requires`;
      throw new CFileError("E_UNSUPPORTED", reason, { field: field.name });
    }
    const { lower, upper } = serializedBounds(field.type, bounds);
    const id = fieldIds(field).at(-1) ?? field.id;
    return [
      {
        id,
        bytes,
        values,
        nulls,
        ...(lower && { lower: toHex(lower) }),
        ...(upper && { upper: toHex(upper) }),
      },
    ];
  });
  return {
    name,
    rows: written.rows,
    bytes: written.bytes,
    columns,
    groupOffsets: written.groupOffsets,
    sortOrderId: sortedBy.length > 0 && !isDelete ? 1 : null,
    ...(isDelete ? { equalityIds: fields.map(({ id }) => id) } : {}),
  };
}

const NOTHING = { bytes: 0, values: 0, nulls: 0, bounds: undefined, isText: true } as const;
