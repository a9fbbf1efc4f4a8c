/**
 * `RowOperationsPB.rows` (docs/spec/kudu-wal.md#4-row-operations): consecutive operations.
 *
 * | bytes | part |
 * | --- | --- |
 * | 1 | kind of operation |
 * | one bit per column | which columns are set |
 * | one bit per column | which are NULL; only if the schema has nullable columns |
 * | per column that is set and not NULL | its width, little-endian; for strings and arrays u64 offset and u64 length in the indirect data |
 */
import { ByteReader, bitmapByteLength, corrupt, getBit } from "@cfile/bytes";
import { DATA_TYPES, physicalWidth } from "@cfile/encodings";
import type { KuduColumn } from "../catalog/schema-message.js";
import type { WriteRequest } from "./log-messages.js";

/** Numbers of `RowOperationsPB.Type`. */
const KINDS = {
  1: "insert",
  2: "update",
  3: "delete",
  5: "upsert",
  10: "insertIgnore",
  11: "updateIgnore",
  12: "deleteIgnore",
  13: "upsertIgnore",
} as const;

/** Kind of a row operation. */
export type OperationKind = (typeof KINDS)[keyof typeof KINDS];

/** One row operation of a write: the cells it sets, including the key. */
export interface RowOperation {
  readonly kind: OperationKind;
  /** Stored values of the columns that are set, by name; `null` for NULL. */
  readonly cells: ReadonlyMap<string, Uint8Array | null>;
}

/** Row operations and the schema that encodes them. */
export type EncodedOperations = Pick<WriteRequest, "schema" | "rows" | "indirect">;

/** An operation of any number in `RowOperationsPB.Type`. */
export interface NumberedOperation {
  readonly number: number;
  readonly offset: number;
  readonly cells: RowOperation["cells"];
}

/** Whether the operation creates a row if none exists. */
export function canInsert({ kind }: RowOperation): boolean {
  return /^(?:insert|upsert)/.test(kind);
}

/** @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` with the field */
export function parseRowOperations(request: WriteRequest): RowOperation[] {
  return [...rowOperations(request)];
}

/**
 * The operations of a write, parsed one at a time.
 *
 * @param needsCells whether the cells of an operation are needed; the cells of other operations are only checked. Default: all
 * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` with the field
 */
export function* rowOperations(
  request: WriteRequest,
  needsCells?: (index: number) => boolean,
): Generator<RowOperation, void, void> {
  for (const { number, offset, cells } of numberedOperations(request, needsCells)) {
    yield { kind: kindOf(number, offset), cells };
  }
}

/** The number of operations of a write; throws as {@link rowOperations}, and keeps nothing. */
export function countRowOperations(request: EncodedOperations): number {
  const operations = new OperationsReader(request);
  let count = 0;
  for (; operations.hasNext; count++) {
    operations.next(undefined);
    kindOf(operations.number, operations.offset);
  }
  return count;
}

function kindOf(number: number, offset: number): OperationKind {
  const kind = (KINDS as Readonly<Record<number, OperationKind>>)[number];
  if (kind === undefined) {
    throw corrupt(`invalid row operation: ${number}`, { offset, field: "row operation", actual: number });
  }
  return kind;
}

/**
 * The operations with the cells they set, of any kind: bounds of ranges are stored in the same way.
 *
 * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` with the field
 */
export function* numberedOperations(
  encoded: EncodedOperations,
  needsCells: (index: number) => boolean = () => true,
): Generator<NumberedOperation, void, void> {
  const operations = new OperationsReader(encoded);
  for (let index = 0; operations.hasNext; index++) {
    const cells = needsCells(index) ? new Map<string, Uint8Array | null>() : undefined;
    operations.next(cells);
    yield { number: operations.number, offset: operations.offset, cells: cells ?? NO_CELLS };
  }
}

const NO_CELLS: RowOperation["cells"] = /* @__PURE__ */ new Map();

/** A column of the operations; strings and arrays have width 0. */
interface EncodedColumn {
  readonly name: string;
  readonly width: number;
}

function encodedColumn({ name, type, array }: KuduColumn): EncodedColumn {
  const { physical } = DATA_TYPES[type];
  const isIndirect = array || physical === "BINARY";
  return { name, width: isIndirect ? 0 : physical === "BOOL" ? 1 : physicalWidth(physical) };
}

/** Reads one operation after the other. */
class OperationsReader {
  number = 0;
  offset = 0;
  private readonly reader: ByteReader;
  private readonly indirect: Uint8Array;
  private readonly columns: readonly EncodedColumn[];
  private readonly bitmapLength: number;
  private readonly hasNulls: boolean;

  constructor({ schema, rows, indirect }: EncodedOperations) {
    this.reader = new ByteReader(rows);
    this.indirect = indirect;
    this.columns = schema.columns.map(encodedColumn);
    this.bitmapLength = bitmapByteLength(this.columns.length);
    this.hasNulls = schema.columns.some(({ nullable }) => nullable);
  }

  get hasNext(): boolean {
    return this.reader.remaining > 0;
  }

  /** @param cells receives the cells; if `undefined`, they are only checked */
  next(cells: Map<string, Uint8Array | null> | undefined): void {
    const { reader, columns, bitmapLength, hasNulls } = this;
    const { bytes } = reader;
    this.offset = reader.position;
    this.number = reader.u8("row operation");
    const given = 8 * reader.position;
    reader.skip(bitmapLength, "columns given");
    const nulls = 8 * reader.position;
    reader.skip(hasNulls ? bitmapLength : 0, "columns NULL");
    for (let i = 0; i < columns.length; i++) {
      if (!getBit(bytes, given + i)) {
        continue;
      }
      const column = columns[i] as EncodedColumn;
      if (hasNulls && getBit(bytes, nulls + i)) {
        cells?.set(column.name, null);
      } else if (cells === undefined) {
        this.skipCell(column);
      } else {
        cells.set(column.name, this.cell(column));
      }
    }
  }

  private cell({ name, width }: EncodedColumn): Uint8Array {
    if (width > 0) {
      return this.reader.take(width, name);
    }
    const start = this.u64(name);
    const end = start + this.u64(name);
    this.requireInside(name, end);
    return this.indirect.subarray(start, end);
  }

  private skipCell({ name, width }: EncodedColumn): void {
    if (width > 0) {
      this.reader.skip(width, name);
    } else {
      this.requireInside(name, this.u64(name) + this.u64(name));
    }
  }

  /** Exact up to 2^53: larger values are outside any data. */
  private u64(field: string): number {
    const low = this.reader.u32le(field);
    return low + 2 ** 32 * this.reader.u32le(field);
  }

  /** @throws {CFileError} `E_CORRUPT`, just after offset and length of a value, if it ends outside the indirect data */
  private requireInside(name: string, end: number): void {
    const { reader, indirect } = this;
    if (end <= indirect.length) {
      return;
    }
    reader.position -= 16;
    const actual = String(reader.u64le(name) + reader.u64le(name));
    const details = { field: "indirect_data", expected: indirect.length, actual };
    throw corrupt(`column ${JSON.stringify(name)}: value ends outside the indirect data`, details);
  }
}
