/** An entry of a delta file: its key and its change list. */
import {
  changeTypeName,
  type DeltaColumn,
  decodeCell,
  decodeDeltaKey,
  decodeRowChangeList,
  MutationCursor,
} from "@cfile/deltafile";
import { ByteNotes } from "@cfile/format/blocks";
import { readMemcmpableVarint64BigInt } from "@cfile/varint";
import type { Arguments, Structure } from "../reading.js";
import { isDataType, valueText } from "../value-text.js";

/** `columns` is a list of `id:type`, separated by spaces. */
export const delta: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => {
      notes.note("ordinal", "row", String(readMemcmpableVarint64BigInt(notes.reader, "row")));
      const time = readMemcmpableVarint64BigInt(notes.reader, "timestamp");
      notes.note("ordinal", "timestamp", `${time}: ${time >> 12n} µs, ${time & 4095n}`);
      const type = notes.reader.u8("change type");
      notes.note("field", "change type", changeTypeName(type) ?? "unknown");
      while (notes.reader.remaining > 0) {
        const id = notes.varint32("field", "column id");
        const length = notes.varint32("length", `column ${id}: length and 1; 0 for NULL`);
        if (length > 0) {
          notes.skip(length - 1, "value", `column ${id}: value`);
        }
      }
    }),
  read: (bytes, args) => {
    const key = decodeDeltaKey(bytes);
    const { type } = decodeRowChangeList(bytes.subarray(key.length));
    const columns = columnsOf(args);
    const lines = [`row ${key.row}, timestamp ${key.timestamp}, ${changeTypeName(type)}`];
    const cursor = new MutationCursor().resetTo(bytes, key.length + 1, bytes.length);
    while (cursor.next()) {
      const column = columns.get(cursor.columnId);
      lines.push(
        `column ${cursor.columnId} = ${column ? valueText(decodeCell(column, cursor)) : valueText(cursor.data.slice(cursor.start, cursor.end))}`,
      );
    }
    return lines;
  },
};

function columnsOf({ columns }: Arguments): Map<number, DeltaColumn> {
  const found = new Map<number, DeltaColumn>();
  for (const text of String(columns ?? "").split(" ")) {
    const [id = "", type = ""] = text.split(":");
    if (isDataType(type)) {
      found.set(Number(id), { id: Number(id), type, nullable: true, array: false });
    }
  }
  return found;
}
