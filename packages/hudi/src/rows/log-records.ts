/** Rows and deletes in the logs of a file slice, merged by record key. */

import { type AvroValue, nonNull } from "@cfile/avro";
import { CFileError, corrupt } from "@cfile/bytes";
import { openParquet } from "@cfile/parquet";
import { fieldsOf, scanNested } from "@cfile/parquet/nested";
import { avroRows, type SchemaCache } from "../log/avro-rows.js";
import { deletedRecords } from "../log/delete-block.js";
import { HEADER, type LogBlock, readLogFile, requireInstant } from "../log/log-block.js";
import { deletedByRollback } from "../log/rolled-back.js";
import type { FileSlice } from "../slices/file-slices.js";
import type { HudiTable } from "../table/hudi-table.js";
import { withPath } from "../timeline/timeline.js";
import { avroVector } from "./avro-vectors.js";
import type { HudiColumn } from "./column-type.js";
import { requireFileTypes } from "./file-types.js";
import { avroOrdering, deleteOrdering, type OrderingField, vectorOrdering } from "./ordering-values.js";
import { unitRepair } from "./renamed-units.js";
import { isNewer, type MergeRule } from "./row-merge.js";
import { type LayeredRow, layersBelow, VectorRows } from "./row-source.js";
import { META } from "./table-schema.js";

const CHUNK_ROWS = 4096;

/** The version of a row that the logs state. */
export interface LogRecord extends LayeredRow {
  /** `undefined` for a delete that always counts. */
  readonly ordering: AvroValue | undefined;
  /** Whether it lacks columns of an older version. */
  readonly isPartial: boolean;
}

/** A version of a row over the older version that it replaces: a partial row keeps the older values of its other columns. */
export function overOlder(winner: LogRecord, older: LayeredRow & Partial<LogRecord>): LogRecord {
  if (!winner.isPartial) {
    return winner;
  }
  const isPartial = older.source !== undefined && older.isPartial === true;
  return {
    ...winner,
    below: layersBelow(winner, older),
    isPartial,
    ordering: winner.ordering ?? older.ordering,
  };
}

/** Inputs for reading logs. */
export interface LogReading {
  readonly table: HudiTable;
  readonly rule: MergeRule;
  readonly schemas: SchemaCache;
  /** Blocks of later instants do not count. */
  readonly asOf: string | undefined;
  /** The columns to read. */
  readonly columns: readonly HudiColumn[];
  /** The fields that order versions of rows. */
  readonly ordering: readonly OrderingField[];
  /** Whether the table has the column that marks deletes. */
  readonly hasDeleteMarks: boolean;
}

/** The records of a slice's logs, by record key. @throws {CFileError} with path and offset, for damage */
export async function logRecords(slice: FileSlice, reading: LogReading): Promise<Map<string, LogRecord>> {
  const records = new LogRecords(reading);
  const blocks: { block: LogBlock; path: string }[] = [];
  const sizes = await reading.table.minSizes(slice.partition);
  for (const name of slice.logFiles) {
    blocks.push(...(await countingBlocks(slice, name, sizes.get(name) ?? 0, reading)));
  }
  const dropped = deletedByRollback(blocks.map(({ block }) => block));
  for (const { block, path } of blocks) {
    if (!dropped.has(block)) {
      try {
        await records.add(block);
      } catch (error) {
        throw withPath(error, `${path}, block at ${block.offset}`);
      }
    }
  }
  return records.merged;
}

/** @param minSize number of bytes that completed writes wrote to the file */
async function countingBlocks(slice: FileSlice, name: string, minSize: number, { table, asOf }: LogReading) {
  const path = slice.partition === "" ? name : `${slice.partition}/${name}`;
  const source = await table.files.open(path);
  try {
    const size = await source.size();
    if (size < minSize) {
      const reason = `the log file is shorter than its writers state (expected ${minSize} bytes, found ${size})`;
      const details = { path: source.name, field: "size", expected: minSize, actual: size };
      throw new CFileError("E_TRUNCATED", reason, details);
    }
    const found = await readLogFile(source);
    return found.flatMap((block) => {
      if (block.kind !== "damage") {
        requireInstant(block, source.name);
        return block.kind === "command" || counts(block.instant, table, asOf)
          ? { block, path: source.name }
          : [];
      }
      // A killed writer of version 6 leaves an incomplete block behind; its instant never completes.
      if (block.instant === undefined ? !isTorn(block.error, table) : counts(block.instant, table, asOf)) {
        throw block.error;
      }
      return [];
    });
  } finally {
    await source.close?.();
  }
}

function isTorn({ code }: CFileError, { properties }: HudiTable): boolean {
  return properties.version < 8 && code === "E_TRUNCATED";
}

function counts(instant: string, { properties, timeline }: HudiTable, asOf: string | undefined): boolean {
  const isLater = asOf !== undefined && instant > asOf;
  return !isLater && (properties.version >= 8 || timeline.isCompletedWrite(instant));
}

class LogRecords {
  readonly merged = new Map<string, LogRecord>();
  private readonly reading: LogReading;

  constructor(reading: LogReading) {
    this.reading = reading;
  }

  async add(block: LogBlock): Promise<void> {
    if (block.header.has(HEADER.compactedTimes)) {
      throw new CFileError("E_UNSUPPORTED", "unsupported log block: log compaction", {
        field: "header",
      });
    }
    if (isPartialBlock(block) && this.reading.hasDeleteMarks) {
      // Hudi 1.2 reads such rows as deletes.
      throw new CFileError(
        "E_UNSUPPORTED",
        `unsupported log block: partial rows in a table with ${META.deleted}`,
        {
          field: "header",
        },
      );
    }
    switch (block.kind) {
      case "avro":
        return this.addAvro(block);
      case "parquet":
        return this.addParquet(block);
      case "delete":
        return this.addDeletes(block);
      case "command":
        return;
      default:
        throw new CFileError("E_UNSUPPORTED", `unsupported log block in a data table: ${block.kind}`, {
          field: "block type",
        });
    }
  }

  private put(key: string, record: LogRecord): void {
    const known = this.merged.get(key);
    const { inLogs, orderedDeletes } = this.reading.rule;
    if (known === undefined) {
      this.merged.set(key, record);
      return;
    }
    const isOrdered = inLogs === "ordering" && (orderedDeletes || known.source !== undefined);
    if (!isOrdered || isNewer(known.ordering, record.ordering)) {
      this.merged.set(key, overOlder(record, known));
    } else {
      this.merged.set(key, overOlder(known, record));
    }
  }

  private addAvro(block: LogBlock): void {
    const { schemas } = this.reading;
    const type = nonNull(schemas.typeOf(block));
    if (type.kind !== "record") {
      throw corrupt("rows of a log block are not records", { field: "SCHEMA" });
    }
    const at = (name: string): number => type.fields.findIndex((field) => field.name === name);
    const [key, deleted] = [at(META.key), at(META.deleted)];
    const isPartial = isPartialBlock(block);
    for (const rows of inChunks(avroRows(block, schemas, "array"))) {
      const cells = (field: number): AvroValue[] =>
        // Records are decoded as arrays.
        rows.map((row) => (row as AvroValue[])[field] ?? null);
      const written = (name: string) => {
        const own = type.fields[at(name)];
        return own && { type: own.type, values: cells(at(name)) };
      };
      const present = this.reading.columns.flatMap(({ name, avro }) => {
        const own = written(name);
        return own === undefined ? [] : { name, vector: avroVector(avro, own.type, own.values) };
      });
      const source = new VectorRows(
        present.map(({ name }) => name),
        present.map(({ vector }) => vector),
      );
      const [keys, marks] = [cells(key), cells(deleted)];
      const order = avroOrdering(this.reading.ordering, written);
      keys.forEach((name, index) => {
        if (typeof name !== "string") {
          throw corrupt("row of a log block has no record key", { field: META.key });
        }
        const own = marks[index] === true ? undefined : source;
        this.put(name, { source: own, index, ordering: order(index), isPartial });
      });
    }
  }

  private async addParquet(block: LogBlock): Promise<void> {
    const isPartial = isPartialBlock(block);
    const file = await openParquet(block.content);
    const { columns, ordering } = this.reading;
    const [fields, used] = [fieldsOf(file), [...columns, ...ordering.map((each) => each.column)]];
    requireFileTypes(fields, used, undefined);
    const repair = unitRepair(fields, used);
    for await (const batch of scanNested(file)) {
      const vectors = repair(batch.names, batch.columns);
      const column = (name: string) => vectors[batch.names.indexOf(name)];
      const source = new VectorRows(batch.names, vectors);
      const order = vectorOrdering(ordering, column);
      for (let i = 0; i < batch.length; i++) {
        const key = column(META.key)?.get(i);
        if (typeof key !== "string") {
          throw corrupt("row of a log block has no record key", { field: META.key });
        }
        const isDelete = column(META.deleted)?.get(i) === true;
        this.put(key, { source: isDelete ? undefined : source, index: i, ordering: order(i), isPartial });
      }
    }
  }

  private addDeletes(block: LogBlock): void {
    const parts = this.reading.ordering.map(({ value }) => value);
    for (const deleted of deletedRecords(block.content)) {
      const ordering = deleteOrdering(parts, deleted);
      this.put(deleted.key, { source: undefined, index: 0, ordering, isPartial: false });
    }
  }
}

/** Decoded rows take ten times the memory of vectors, so only a few thousand are decoded at a time. */
function* inChunks<T>(rows: Iterable<T>): Generator<readonly T[]> {
  let chunk: T[] = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length === CHUNK_ROWS) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) {
    yield chunk;
  }
}

/** Whether the rows of a block have only the columns that an update changed. */
function isPartialBlock({ header }: LogBlock): boolean {
  return header.get(HEADER.partial)?.toLowerCase() === "true";
}
