/** Writes rows of a MemRowSet as a row set in memory: base data, an UNDO file, and a REDO file if rows were changed. */
import { compareBytes } from "@cfile/bytes";
import { type DeltaKind, encodeCell } from "@cfile/deltafile";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import { type ByteSource, memorySink, memorySource } from "@cfile/io";
import type { RowSetFiles } from "@cfile/rowset";
import type { KuduColumn, KuduSchema } from "../catalog/schema-message.js";
import { LoadedRowSet } from "../load/loaded-row-set.js";
import type { Change, StoredForm } from "./memory-row.js";
import { batchOfCells } from "./stored-cells.js";
import type { KeyedRow } from "./stores-by-key.js";

export class MemoryRowSet {
  private readonly schema: KuduSchema;
  private readonly form: StoredForm;
  private readonly base: LoadedRowSet;
  private readonly undo = new DeltaFile("undo");
  private readonly redo = new DeltaFile("redo");
  private readonly defaults: ReadonlyMap<number, Uint8Array | null>;
  private count = 0;

  constructor(schema: KuduSchema, form: StoredForm) {
    this.schema = schema;
    this.form = form;
    this.base = new LoadedRowSet(schema);
    this.defaults = new Map(schema.columns.map((column) => [column.id, olderCell(column)]));
  }

  /** Whether it is as large as a row set of the server. */
  get isFull(): boolean {
    return this.base.isFull;
  }

  /** Rows that exist in the latest snapshot, if the form has only deletions in REDO files. */
  get liveRows(): number {
    return this.count - this.redo.rows;
  }

  /** Appends rows. Their keys must follow those of earlier calls. */
  async append(rows: readonly KeyedRow[]): Promise<void> {
    const sorted = [...rows].sort((left, right) => compareBytes(left.key, right.key));
    const stored = sorted.flatMap((row) => this.form(row, this.defaults) ?? []);
    await this.base.append(
      this.schema.columns.map((column) =>
        batchOfCells(
          column,
          stored.map(({ cells }) => cells.get(column.id) ?? null),
        ),
      ),
    );
    for (const { undo, redo } of stored) {
      await this.undo.append(this.count, undo);
      await this.redo.append(this.count, redo);
      this.count++;
    }
  }

  /** @returns `undefined` without rows */
  async finish(): Promise<RowSetFiles | undefined> {
    const { base, rows } = await this.base.baseFiles();
    return rows === 0
      ? undefined
      : {
          ...base,
          undo: [await this.undo.finish()],
          redo: this.redo.rows === 0 ? [] : [await this.redo.finish()],
        };
  }
}

/** A delta file in memory. */
export class DeltaFile {
  /** Number of rows with entries. */
  rows = 0;
  private readonly sink = memorySink();
  private readonly writer: DeltaFileWriter;

  constructor(kind: DeltaKind) {
    this.writer = new DeltaFileWriter(this.sink, { kind });
  }

  /** Appends the changes of the next row. */
  async append(row: number, changes: readonly Change[]): Promise<void> {
    this.rows += changes.length > 0 ? 1 : 0;
    for (const { timestamp, type, mutations } of changes) {
      await this.writer.append(row, timestamp, type, mutations);
    }
  }

  /** Requires that it has entries. */
  async finish(): Promise<ByteSource> {
    await this.writer.finish();
    return memorySource(this.sink.bytes(), "write-ahead log");
  }
}

/** The cell of rows that are older than the column. */
function olderCell(column: KuduColumn): Uint8Array | null {
  return column.readDefault === undefined ? null : encodeCell(column, column.readDefault);
}
