/** The columns of a table: the writer's Avro schema in the newest commit, after the five `_hoodie_` columns. */

import { type AvroType, nonNull, parseAvroSchema } from "@cfile/avro";
import { CFileError, corrupt } from "@cfile/bytes";
import { openParquet } from "@cfile/parquet";
import type { HudiTable } from "../table/hudi-table.js";
import type { CommitContent } from "../timeline/instant-content.js";
import type { Timeline } from "../timeline/timeline.js";
import { columnOf, type HudiColumn } from "./column-type.js";

/** Names of the columns that Hudi adds. */
export const META = {
  commitTime: "_hoodie_commit_time",
  sequence: "_hoodie_commit_seqno",
  key: "_hoodie_record_key",
  partition: "_hoodie_partition_path",
  file: "_hoodie_file_name",
  deleted: "_hoodie_is_deleted",
} as const;

const ADDED = [META.commitTime, META.sequence, META.key, META.partition, META.file];
const TEXT: AvroType = { kind: "string" };
/** Key of the Avro schema in Parquet footers. */
const FOOTER_KEY = "parquet.avro.schema";

/**
 * The columns of a table, in order.
 * @param asOf an instant; default: the latest
 * @throws {CFileError} `E_NOT_FOUND` when no commit or base file has a schema; `E_CORRUPT`, `E_UNSUPPORTED` for a malformed schema
 */
export async function tableColumns(table: HudiTable, asOf?: string): Promise<readonly HudiColumn[]> {
  const text = (await schemaCommit(table.timeline, asOf))?.schema ?? (await schemaInBaseFiles(table, asOf));
  if (text === undefined) {
    throw new CFileError("E_NOT_FOUND", "no commit or base file has a schema", {
      path: table.files.tree.name,
      field: "schema",
    });
  }
  const record = nonNull(parseAvroSchema(text));
  if (record.kind !== "record") {
    throw corrupt("the table's schema is not a record", { path: table.files.tree.name, field: "schema" });
  }
  const own = record.fields.map((field) => ({
    ...columnOf(field.name, field.type),
    ...(field.default !== undefined && { absent: field }),
  }));
  const names = new Set(own.map(({ name }) => name));
  const added = table.properties.hasMetaFields ? ADDED.filter((name) => !names.has(name)) : [];
  return [...added.map((name) => columnOf(name, TEXT)), ...own];
}

/**
 * The columns of a scan, in the order of Hudi's own reader: if Hudi 0.15 reads only base files, Spark appends the partition columns.
 * @param baseOnly whether only base files are read
 * @throws {CFileError} as {@link tableColumns}
 */
export async function scanColumns(
  table: HudiTable,
  { asOf, baseOnly }: { readonly asOf?: string | undefined; readonly baseOnly: boolean },
): Promise<readonly HudiColumn[]> {
  const columns = await tableColumns(table, asOf);
  const { version, type, partitionFields } = table.properties;
  if (version >= 8 || !(baseOnly || type === "COPY_ON_WRITE")) {
    return columns;
  }
  const own = columns.filter(({ name }) => !partitionFields.includes(name));
  return [...own, ...partitionFields.flatMap((field) => columns.find(({ name }) => name === field) ?? [])];
}

/**
 * The newest write with a schema up to an instant. As in Hudi, an instant before all such writes has the latest schema.
 */
export async function schemaCommit(
  timeline: Timeline,
  asOf: string | undefined,
): Promise<CommitContent | undefined> {
  const writes = [...timeline.completed.values()].reverse();
  const isLater = ({ time }: { readonly time: string }): boolean => asOf !== undefined && time > asOf;
  for (const write of [...writes.filter((one) => !isLater(one)), ...writes.filter(isLater)]) {
    const content = await timeline.commit(write);
    if (content.schema !== undefined) {
      return content;
    }
  }
  return undefined;
}

async function schemaInBaseFiles(table: HudiTable, asOf: string | undefined): Promise<string | undefined> {
  for (const partition of await table.partitions()) {
    for (const { baseFile } of await table.slices(partition, asOf)) {
      if (baseFile?.endsWith(".parquet")) {
        const path = partition === "" ? baseFile : `${partition}/${baseFile}`;
        await using file = await table.files.openWith(path, openParquet);
        return file.keyValues.get(FOOTER_KEY);
      }
    }
  }
  return undefined;
}
