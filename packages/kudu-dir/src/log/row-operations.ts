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

/** The operations of a write, parsed one at a time. @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` with the field */
export function* rowOperations(request: WriteRequest): Generator<RowOperation, void, void> {
  const kinds: Readonly<Record<number, OperationKind>> = KINDS;
  for (const { number, offset, cells } of numberedOperations(request)) {
    const kind = kinds[number];
    if (kind === undefined) {
      throw corrupt(`invalid row operation: ${number}`, { offset, field: "row operation", actual: number });
    }
    yield { kind, cells };
  }
}

/**
 * The operations with the cells they set, whatever they do: bounds of ranges are stored in the same way.
 *
 * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` with the field
 */
export function* numberedOperations({
  schema,
  rows,
  indirect,
}: EncodedOperations): Generator<NumberedOperation, void, void> {
  const reader = new ByteReader(rows);
  const { columns } = schema;
  const bitmapLength = bitmapByteLength(columns.length);
  const hasNulls = columns.some(({ nullable }) => nullable);
  while (reader.remaining > 0) {
    const offset = reader.position;
    const number = reader.u8("row operation");
    const given = reader.take(bitmapLength, "columns given");
    const nulls = hasNulls ? reader.take(bitmapLength, "columns NULL") : undefined;
    const cells = new Map<string, Uint8Array | null>();
    columns.forEach((column, i) => {
      if (getBit(given, i)) {
        const isNull = nulls !== undefined && getBit(nulls, i);
        cells.set(column.name, isNull ? null : readCell(reader, column, indirect));
      }
    });
    yield { number, offset, cells };
  }
}

function readCell(reader: ByteReader, { name, type, array }: KuduColumn, indirect: Uint8Array): Uint8Array {
  const { physical } = DATA_TYPES[type];
  if (!array && physical !== "BINARY") {
    return reader.take(physical === "BOOL" ? 1 : physicalWidth(physical), name);
  }
  const start = reader.u64le(name);
  const end = start + reader.u64le(name);
  if (end > BigInt(indirect.length)) {
    const details = { field: "indirect_data", expected: indirect.length, actual: String(end) };
    throw corrupt(`column ${JSON.stringify(name)}: value ends outside the indirect data`, details);
  }
  return indirect.subarray(Number(start), Number(end));
}
