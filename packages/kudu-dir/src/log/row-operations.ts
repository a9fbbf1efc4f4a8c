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

/** What a row operation does. */
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
 * @param needsCells whether the cells of an operation are needed; of others, they are only checked. Default: all
 * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` with the field
 */
export function* rowOperations(
  request: WriteRequest,
  needsCells?: (index: number) => boolean,
): Generator<RowOperation, void, void> {
  const kinds: Readonly<Record<number, OperationKind>> = KINDS;
  for (const { number, offset, cells } of numberedOperations(request, needsCells)) {
    const kind = kinds[number];
    if (kind === undefined) {
      throw corrupt(`invalid row operation: ${number}`, { offset, field: "row operation", actual: number });
    }
    yield { kind, cells };
  }
}

const NO_CELLS: RowOperation["cells"] = /* @__PURE__ */ new Map();

/** A column of the operations; strings and arrays have width 0. */
interface EncodedColumn {
  readonly name: string;
  readonly width: number;
}

/**
 * The operations with the cells they set, whatever they do: bounds of ranges are stored in the same way.
 *
 * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` with the field
 */
export function* numberedOperations(
  { schema, rows, indirect }: EncodedOperations,
  needsCells: (index: number) => boolean = () => true,
): Generator<NumberedOperation, void, void> {
  const reader = new ByteReader(rows);
  const columns = schema.columns.map(encodedColumn);
  const bitmapLength = bitmapByteLength(columns.length);
  const hasNulls = schema.columns.some(({ nullable }) => nullable);
  for (let index = 0; reader.remaining > 0; index++) {
    const offset = reader.position;
    const number = reader.u8("row operation");
    const given = reader.take(bitmapLength, "columns given");
    const nulls = hasNulls ? reader.take(bitmapLength, "columns NULL") : undefined;
    const cells = needsCells(index) ? new Map<string, Uint8Array | null>() : undefined;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i] as EncodedColumn;
      const isNull = nulls !== undefined && getBit(nulls, i);
      if (!getBit(given, i)) {
        continue;
      }
      if (cells !== undefined) {
        cells.set(column.name, isNull ? null : readCell(reader, column, indirect));
      } else if (!isNull) {
        skipCell(reader, column, indirect);
      }
    }
    yield { number, offset, cells: cells ?? NO_CELLS };
  }
}

function encodedColumn({ name, type, array }: KuduColumn): EncodedColumn {
  const { physical } = DATA_TYPES[type];
  const isIndirect = array || physical === "BINARY";
  return { name, width: isIndirect ? 0 : physical === "BOOL" ? 1 : physicalWidth(physical) };
}

function readCell(reader: ByteReader, { name, width }: EncodedColumn, indirect: Uint8Array): Uint8Array {
  if (width > 0) {
    return reader.take(width, name);
  }
  const start = u64(reader, name);
  const end = start + u64(reader, name);
  requireInside(reader, name, end, indirect);
  return indirect.subarray(start, end);
}

/** {@link readCell} without the cell. */
function skipCell(reader: ByteReader, { name, width }: EncodedColumn, indirect: Uint8Array): void {
  if (width > 0) {
    reader.skip(width, name);
  } else {
    requireInside(reader, name, u64(reader, name) + u64(reader, name), indirect);
  }
}

/** Exact up to 2^53: larger values are outside any data. */
function u64(reader: ByteReader, field: string): number {
  const low = reader.u32le(field);
  return low + 2 ** 32 * reader.u32le(field);
}

/** @param reader after offset and length of a value */
function requireInside(reader: ByteReader, name: string, end: number, indirect: Uint8Array): void {
  if (end > indirect.length) {
    reader.position -= 16;
    const actual = String(reader.u64le(name) + reader.u64le(name));
    const details = { field: "indirect_data", expected: indirect.length, actual };
    throw corrupt(`column ${JSON.stringify(name)}: value ends outside the indirect data`, details);
  }
}
