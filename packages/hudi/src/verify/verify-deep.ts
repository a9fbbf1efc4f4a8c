/** Compares the rows of a table with its record index and its column statistics. */
import { compareBytes, corrupt, mismatch, utf8Bytes } from "@cfile/bytes";
import { openParquet } from "@cfile/parquet";
import { fieldsOf, type NestedVector, type ParquetField, scanNested } from "@cfile/parquet/nested";
import type { WrappedValue } from "../log/wrapped-value.js";
import { type ColumnStats, columnStats } from "../metadata/column-stats.js";
import type { MetadataTable } from "../metadata/metadata-table.js";
import { locationOf } from "../metadata/record-index.js";
import type { HudiColumn } from "../rows/column-type.js";
import { scanSlices } from "../rows/scan.js";
import { META, tableColumns } from "../rows/table-schema.js";
import type { FileSlice } from "../slices/file-slices.js";
import type { HudiTable } from "../table/hudi-table.js";
import type { Findings } from "./findings.js";

/** @returns the number of rows */
export async function verifyDeep(
  table: HudiTable,
  findings: Findings,
  signal: AbortSignal | undefined,
): Promise<number> {
  const columns = await tableColumns(table);
  const { metadata } = table;
  const index = await indexedRecords(metadata);
  let rows = 0;
  for (const partition of await table.partitions()) {
    for (const slice of await table.slices(partition)) {
      signal?.throwIfAborted();
      await findings.attempt(`${partition}/${slice.fileId}`, async () => {
        rows += await compareKeys(table, columns, slice, index);
        if (metadata?.has("column_stats") && slice.baseFile !== undefined) {
          await compareStats(table, metadata, columns, { ...slice, baseFile: slice.baseFile }, findings);
        }
      });
    }
  }
  index?.report(table, findings);
  return rows;
}

/** The location of each key according to the record index, as `PARTITION/FILE ID`, and the keys that rows confirm. */
class IndexedKeys {
  private readonly places: Map<string, string>;
  private readonly confirmed = new Set<string>();
  /** Keys of rows that are elsewhere, or missing in the index, and a location of each. */
  private readonly elsewhere = new Map<string, string>();

  constructor(places: Map<string, string>) {
    this.places = places;
  }

  add(key: string, place: string): void {
    if (this.places.get(key) === place) {
      this.confirmed.add(key);
    } else {
      this.elsewhere.set(key, place);
    }
  }

  /** Inserts can add rows with the same key to other groups; the index names one of the groups. */
  report(table: HudiTable, findings: Findings): void {
    for (const [key, place] of this.elsewhere) {
      if (!this.confirmed.has(key)) {
        const details = { path: table.files.nameOf(place), field: "record_index" };
        const found = this.places.get(key) ?? "no entry";
        findings.add(mismatch(`record index: key ${JSON.stringify(key)}`, place, found, details));
      }
    }
    for (const key of this.places.keys()) {
      if (!this.confirmed.has(key) && !this.elsewhere.has(key)) {
        const reason = `record index has key ${JSON.stringify(key)}, which no row has`;
        findings.add(corrupt(reason, { field: "record_index" }));
      }
    }
  }
}

async function indexedRecords(metadata: MetadataTable | undefined): Promise<IndexedKeys | undefined> {
  if (!metadata?.has("record_index")) {
    return undefined;
  }
  const places = new Map<string, string>();
  for (const [key, record] of await metadata.withPrefix("record_index", "")) {
    const { partition, fileId } = locationOf(record);
    places.set(key, `${partition}/${fileId}`);
  }
  return new IndexedKeys(places);
}

/** Reads a slice, and compares its keys with the index. */
async function compareKeys(
  table: HudiTable,
  columns: readonly HudiColumn[],
  slice: FileSlice,
  index: IndexedKeys | undefined,
): Promise<number> {
  const place = `${slice.partition}/${slice.fileId}`;
  let rows = 0;
  const names = table.properties.hasMetaFields ? [META.key] : [];
  for await (const { length, columns: vectors } of scanSlices(table, columns, [slice], { columns: names })) {
    rows += length;
    for (const key of index === undefined ? [] : vectors.flatMap((keys) => keys.toArray())) {
      index?.add(String(key), place);
    }
  }
  return rows;
}

async function compareStats(
  table: HudiTable,
  metadata: MetadataTable,
  columns: readonly HudiColumn[],
  { partition, baseFile }: { readonly partition: string; readonly baseFile: string },
  findings: Findings,
): Promise<void> {
  const names = columns.filter(({ scalar }) => scalar !== undefined).map(({ name }) => name);
  const stats = (await columnStats(metadata, partition, [baseFile], names)).get(baseFile);
  const path = partition === "" ? baseFile : `${partition}/${baseFile}`;
  await using file = await table.files.openWith(path, openParquet);
  const fields = new Map(fieldsOf(file).map((field) => [field.name, field]));
  const tested = names.flatMap((name) => {
    const own = stats?.get(name);
    return own === undefined
      ? []
      : { name, own, bounds: boundsOf(own, fields.get(name)), nulls: 0, hasOutside: false };
  });
  for await (const { columns: vectors } of scanNested(file, { columns: tested.map(({ name }) => name) })) {
    for (const [i, one] of tested.entries()) {
      // One vector for each name.
      const column = vectors[i] as NestedVector;
      one.nulls += column.nullCount;
      one.hasOutside ||= column.toArray().some((cell) => isOutside(cell, one.bounds));
    }
  }
  const details = { path: table.files.nameOf(path), field: "column_stats" };
  for (const { name, own, nulls, hasOutside } of tested) {
    if (own.nullCount !== nulls) {
      findings.add(mismatch(`column_stats: number of nulls of ${name}`, own.nullCount, nulls, details));
    }
    if (hasOutside) {
      findings.add(corrupt(`column_stats: values of ${name} are outside its bounds`, details));
    }
  }
}

/** Whether text comes after another in UTF-8. */
function isBeyond(text: string, other: string): boolean {
  return compareBytes(utf8Bytes(text), utf8Bytes(other)) > 0;
}

/** Bounds in the unit of the values read. Bounds of a file with milliseconds are milliseconds, and values are read as microseconds. */
function boundsOf({ min, max }: ColumnStats, field: ParquetField | undefined): readonly [unknown, unknown] {
  const isMillis = field?.kind === "leaf" && "change" in field.values && field.values.change === "millis";
  const bound = (stated: WrappedValue | undefined): unknown => {
    const value = stated?.value;
    const isNamed = stated?.wrapper === "TimestampMicrosWrapper";
    const isInteger = typeof value === "bigint" || Number.isInteger(value);
    return isMillis && !isNamed && isInteger ? 1000n * BigInt(value as number | bigint) : value;
  };
  return [bound(min), bound(max)];
}

/** Whether a value is outside the bounds. Decimals and bytes are not compared: the format of their bounds differs between versions. */
function isOutside(value: unknown, [low, high]: readonly [unknown, unknown]): boolean {
  if (typeof value === "string" && typeof low === "string" && typeof high === "string") {
    // Bounds from Parquet files have UTF-8 order, bounds that Java compared have UTF-16 order.
    return (value < low || value > high) && (isBeyond(low, value) || isBeyond(value, high));
  }
  const isNumber = (cell: unknown): cell is number | bigint =>
    typeof cell === "bigint" || (typeof cell === "number" && !Number.isNaN(cell));
  return isNumber(value) && isNumber(low) && isNumber(high) && (value < low || value > high);
}
