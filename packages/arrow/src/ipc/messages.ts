/**
 * Metadata of Arrow IPC messages: `Message`, with a `Schema`, `DictionaryBatch` or `RecordBatch` in it, and the `Footer`
 * of a file. Checked before `apache-arrow` decodes them.
 *
 * Specification: https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
 */
import { CFileError } from "@cfile/bytes";
import { FlatBuffer, type Layout } from "./flatbuffer.js";

const KEY_VALUE: Layout = ["string", "string"];

/** Tables of column types, indexed by type number. */
const TYPES: readonly Layout[] = [
  [], // none
  [], // Null
  [4, 1], // Int: bit width, signed
  [2], // FloatingPoint: precision
  [], // Binary
  [], // Utf8
  [], // Bool
  [4, 4, 4], // Decimal: precision, scale, bit width
  [2], // Date: unit
  [2, 4], // Time: unit, bit width
  [2, "string"], // Timestamp: unit, time zone
  [2], // Interval: unit
  [], // List
  [], // Struct
  [2, { elements: 4 }], // Union: mode, type IDs
  [4], // FixedSizeBinary: width
  [4], // FixedSizeList: size
  [1], // Map: keys sorted
  [2], // Duration: unit
  ...Array.from({ length: 8 }, () => []), // LargeBinary, LargeUtf8, LargeList, RunEndEncoded, views
];
/** List, FixedSizeList, Map, LargeList. */
const LIST_TYPES: readonly number[] = [12, 16, 17, 21];
/** ID, index type, ordered, kind. */
const DICTIONARY_ENCODING: Layout = [8, { table: [4, 1] }, 1, 2];
/** Name, nullable, type, dictionary, children, metadata. */
const FIELD: Layout = [
  "string",
  1,
  1,
  { union: TYPES },
  { table: DICTIONARY_ENCODING },
  { tables: () => FIELD },
  { tables: () => KEY_VALUE },
];
/** Endianness, fields, metadata, features. */
const SCHEMA: Layout = [2, { tables: () => FIELD }, { tables: () => KEY_VALUE }, { elements: 8 }];
/** Rows, nodes (rows, nulls), buffers (offset, length), compression, counts of variadic buffers. */
const RECORD_BATCH: Layout = [8, { elements: 16 }, { elements: 16 }, { table: [1, 1] }, { elements: 8 }];
/** ID, data, delta. */
const DICTIONARY_BATCH: Layout = [8, { table: RECORD_BATCH }, 1];
/** Version, type of the header, header, length of the body, metadata. */
const MESSAGE: Layout = [
  2,
  1,
  { union: [[], SCHEMA, DICTIONARY_BATCH, RECORD_BATCH] },
  8,
  { tables: () => KEY_VALUE },
];
/** Version, schema, dictionary blocks, record batch blocks (offset, metadata length, body length), metadata. */
const FOOTER: Layout = [
  2,
  { table: SCHEMA },
  { elements: 24 },
  { elements: 24 },
  { tables: () => KEY_VALUE },
];

/** Minimum size of a message in bytes. A body with this many bytes after its buffers has a length that covers the next message. */
const MIN_MESSAGE = 128;

export const SCHEMA_MESSAGE = 1;
/** These are also the slots of a footer. */
const DICTIONARY_MESSAGE = 2;
const RECORD_MESSAGE = 3;

/** Checks the messages of one stream in order. */
export class MessageCheck {
  private isFirst = true;
  private nodes: readonly number[] | undefined;

  /** @param columnNodes field nodes per column, if a footer states the schema */
  constructor(columnNodes?: readonly number[]) {
    this.nodes = columnNodes;
  }

  /**
   * @param start offset of the metadata in the input
   * @throws {CFileError} `E_CORRUPT` if the metadata contradicts itself or previous messages; `E_UNSUPPORTED` for
   *   versions before V4 and big-endian data
   */
  message(metadata: Uint8Array, start: number): { readonly kind: number; readonly bodyLength: number } {
    const message = new FlatBuffer(metadata, start, MESSAGE);
    checkVersion(message, start);
    const kind = message.scalar(message.root, 1, 1);
    const header = message.table(message.root, 2);
    const bodyLength = message.scalar(message.root, 3, 8);
    if (!(Number.isSafeInteger(bodyLength) && bodyLength >= 0)) {
      message.fail(`invalid body length: ${bodyLength}`, message.root);
    }
    if (header === 0) {
      message.fail(`message of type ${kind} has no header`, message.root);
    } else if (kind === SCHEMA_MESSAGE && this.isFirst && bodyLength === 0) {
      const nodes = columnNodes(message, header, start);
      if (this.nodes !== undefined && String(this.nodes) !== String(nodes)) {
        message.fail("schema differs from the footer's", message.root);
      }
      this.nodes = nodes;
    } else if (kind === RECORD_MESSAGE && this.nodes !== undefined) {
      checkBatch(message, header, bodyLength, this.nodes);
    } else if (kind === DICTIONARY_MESSAGE && this.nodes !== undefined) {
      checkBatch(message, message.table(header, 1), bodyLength, undefined);
    } else {
      message.fail(`unexpected message of type ${kind} with a body of ${bodyLength} bytes`, message.root);
    }
    this.isFirst = false;
    return { kind, bodyLength };
  }
}

/**
 * The batches that a footer lists, by offset, and the field nodes per column.
 * @param start offset of the footer in the file
 * @throws {CFileError} as {@link MessageCheck.message}
 */
export function readFooter(bytes: Uint8Array, start: number) {
  const footer = new FlatBuffer(bytes, start, FOOTER);
  checkVersion(footer, start);
  const schema = footer.table(footer.root, 1);
  if (schema === 0) {
    footer.fail("the footer has no schema", footer.root);
  }
  const batches = [DICTIONARY_MESSAGE, RECORD_MESSAGE].flatMap((kind) =>
    footer.elements(footer.root, kind, 24).map((at) => ({ kind, offset: footer.i64(at) })),
  );
  batches.sort((a, b) => a.offset - b.offset);
  return { columnNodes: columnNodes(footer, schema, start), batches };
}

/** V4 is 3, V5 is 4; older versions have a different layout of buffers. */
function checkVersion(buffer: FlatBuffer, offset: number): void {
  const version = buffer.scalar(buffer.root, 0, 2);
  if (version !== 3 && version !== 4) {
    const reason = `unsupported Arrow metadata version: V${version + 1} (supported: V4 and V5)`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "version", offset });
  }
}

function columnNodes(buffer: FlatBuffer, schema: number, offset: number): number[] {
  if (buffer.scalar(schema, 0, 2) !== 0) {
    const reason = "unsupported Arrow data: big-endian (supported: little-endian)";
    throw new CFileError("E_UNSUPPORTED", reason, { field: "endianness", offset });
  }
  return buffer.tables(schema, 1).map((field) => nodesOf(buffer, field));
}

/** A column has one node for itself and one per child; the nodes of a dictionary are in its own batches. */
function nodesOf(buffer: FlatBuffer, field: number): number {
  const children = buffer.tables(field, 5);
  if (children.length !== 1 && LIST_TYPES.includes(buffer.scalar(field, 2, 1))) {
    buffer.fail(`a list with ${children.length} children (expected 1)`, field);
  }
  const nodes = children.reduce((sum, child) => sum + nodesOf(buffer, child), 1);
  return buffer.member(field, 4) === 0 ? nodes : 1;
}

function checkBatch(
  message: FlatBuffer,
  batch: number,
  bodyLength: number,
  columns: readonly number[] | undefined,
): void {
  if (batch === 0) {
    message.fail("a dictionary batch without data", message.root);
  }
  const length = message.scalar(batch, 0, 8);
  const isCompressed = message.member(batch, 3) !== 0;
  const nodes = message.elements(batch, 1, 16);
  for (const at of nodes) {
    const rows = message.i64(at);
    const nulls = message.i64(at + 8);
    if (!(Number.isSafeInteger(rows) && nulls >= 0 && nulls <= rows)) {
      message.fail(`invalid field node: ${nulls} nulls in ${rows} rows`, at);
    }
  }
  let end = 0;
  for (const at of message.elements(batch, 2, 16)) {
    const offset = message.i64(at);
    const size = message.i64(at + 8);
    if (!(offset >= 0 && size >= 0 && offset + size <= bodyLength)) {
      message.fail(`buffer of ${size} bytes at ${offset} lies outside the body of ${bodyLength} bytes`, at);
    }
    end = Math.max(end, offset + size);
  }
  if (bodyLength - end >= MIN_MESSAGE) {
    message.fail(`buffers end at ${end} of a body of ${bodyLength} bytes`, batch);
  }
  // A library allocates for the stated number of rows or words, regardless of the size of the buffers.
  if (columns === undefined && !isCompressed && length > 8 * bodyLength) {
    message.fail(`a dictionary of ${length} words in ${bodyLength} bytes`, batch);
  }
  let next = 0;
  for (const count of columns ?? [nodes.length]) {
    const at = nodes[next];
    if (at === undefined || message.i64(at) !== length) {
      message.fail(`a column of ${at && message.i64(at)} rows in a batch of ${length}`, at ?? batch);
    }
    next += count;
  }
  if (next !== nodes.length) {
    message.fail(`${nodes.length} field nodes (expected ${next})`, batch);
  }
}
