/** The write-ahead log: entries, their messages, and row operations (docs/spec/kudu-wal.md#3-entry). */
import { DATA_TYPES, type DataType } from "@cfile/encodings";
import { ByteNotes } from "@cfile/format/blocks";
import { type LogEntry, parseLogEntries, parseLogSegment, parseRowOperations } from "@cfile/kudu-dir/log";
import { type MessageWriter, messageBytes } from "@cfile/protobuf/write";
import type { Arguments, Structure } from "../../reading.js";
import { isDataType, valueText } from "../../value-text.js";
import { noteMessage } from "../protobuf-notes.js";
import { LOG_ENTRIES } from "./schema-shapes.js";

const LZ4 = 3;
const INT32 = 5;
const NO_TRANSACTION = { transaction: undefined, autoIncrement: undefined };
const DEFAULT_COLUMN = {
  array: false,
  isKey: false,
  readDefault: undefined,
  writeDefault: undefined,
  comment: undefined,
  immutable: false,
  autoIncrementing: false,
};
const KINDS: Readonly<Record<number, string>> = { 1: "INSERT", 2: "UPDATE", 3: "DELETE", 5: "UPSERT" };

/** Entries of a segment, compressed with LZ4. */
export const logEntries: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => {
      while (notes.reader.remaining > 0) {
        const stored = notes.u32le("length", "stored length");
        notes.u32le("length", "length when decompressed");
        notes.skip(4, "checksum", "CRC-32C of the stored data");
        notes.skip(4, "checksum", "CRC-32C of the 12 bytes before");
        notes.skip(stored, "compressed", "message, LZ4");
      }
    }),
  read: (bytes) => {
    const { entries, torn, damage } = parseLogSegment(withHeader(bytes), "wal-000000001");
    if (damage !== undefined) {
      throw damage;
    }
    const lines = entries.flatMap(({ data }) => parseLogEntries(data).map(entryText));
    return torn === undefined ? lines : [...lines, `incomplete last entry: ${torn.reason}`];
  },
};

/** A decompressed message. */
export const logMessage: Structure = {
  note: (bytes) => ByteNotes.of(bytes, (notes) => noteMessage(notes, bytes.length, LOG_ENTRIES)),
  read: (bytes) => parseLogEntries(bytes).map(entryText),
};

/** Row operations; `columns` lists `name:type`, nullable types with `?`, separated by spaces. */
export const rowOperations: Structure = {
  note: (bytes, args) =>
    ByteNotes.of(bytes, (notes) => {
      const columns = columnsOf(args);
      const bitmap = Math.ceil(columns.length / 8);
      while (notes.reader.remaining > 0) {
        const kind = notes.reader.u8("operation");
        notes.note("field", "operation", KINDS[kind] ?? String(kind));
        const set = notes.reader.take(bitmap, "columns that are set").slice();
        notes.note("bitmap", "columns that are set");
        const nulls = columns.some(({ nullable }) => nullable)
          ? notes.reader.take(bitmap, "columns that are NULL").slice()
          : new Uint8Array(bitmap);
        notes.note("bitmap", "columns that are NULL");
        for (const [i, { name, width }] of columns.entries()) {
          const bit = 1 << (i & 7);
          if (((set[i >> 3] ?? 0) & bit) !== 0 && ((nulls[i >> 3] ?? 0) & bit) === 0) {
            notes.skip(width, "value", name);
          }
        }
      }
    }),
  read: (bytes, args) => {
    const schema = { columns: columnsOf(args).map((column, id) => ({ ...DEFAULT_COLUMN, ...column, id })) };
    const indirect = new Uint8Array(0);
    const operations = parseRowOperations({ schema, rows: bytes, indirect, ...NO_TRANSACTION });
    return operations.map(({ kind, cells }) => {
      const shown = [...cells].map(
        ([name, cell]) => `${name} = ${valueText(cell === null ? null : numberOf(cell))}`,
      );
      return `${kind} ${shown.join(", ")}`;
    });
  },
};

function entryText({ replicate, commit }: LogEntry): string {
  if (replicate !== undefined) {
    const { id, operation, timestamp, write } = replicate;
    const rows = write === undefined ? "" : `, ${write.rows.length} bytes of row operations`;
    return `REPLICATE ${id.term}.${id.index} ${operation} at ${timestamp}${rows}`;
  }
  return commit === undefined
    ? "neither REPLICATE nor COMMIT"
    : `COMMIT ${commit.id.term}.${commit.id.index} ${commit.operation}, ${commit.results.length} results`;
}

interface NamedColumn {
  readonly name: string;
  readonly type: DataType;
  readonly nullable: boolean;
  readonly width: number;
}

function columnsOf({ columns }: Arguments): NamedColumn[] {
  return String(columns)
    .split(" ")
    .flatMap((text) => {
      const [, name = "", type = "", mark] = /^(\w+):(\w+)(\??)$/.exec(text) ?? [];
      // Strings are two words: where they are in the indirect data, and their length.
      const width = isDataType(type) ? (DATA_TYPES[type].width ?? 16) : 0;
      return isDataType(type) ? [{ name, type, nullable: mark === "?", width }] : [];
    });
}

/** A stored integer of up to four bytes; other cells as they are. */
function numberOf(cell: Uint8Array): number | Uint8Array {
  return cell.length === 4 ? new DataView(cell.buffer, cell.byteOffset).getInt32(0, true) : cell;
}

/** The segment of these entries. */
function withHeader(entries: Uint8Array): Uint8Array {
  const header = messageBytes((writer, tablet) => {
    writer.text(5, tablet);
    writer.uint64(6, 1n);
    writer.bytes(7, messageBytes(writeSchema, "id"));
    writer.int32(9, LZ4);
  }, "0".repeat(32));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, header.length, true);
  return Uint8Array.from([...new TextEncoder().encode("kudulogf"), ...length, ...header, ...entries]);
}

function writeSchema(writer: MessageWriter, name: string): void {
  const column = messageBytes((inner, key) => {
    inner.int32(1, 0);
    inner.text(2, key);
    inner.int32(3, INT32);
    inner.bool(4, true);
  }, name);
  writer.bytes(1, column);
}
