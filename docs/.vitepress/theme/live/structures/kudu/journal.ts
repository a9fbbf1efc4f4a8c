/** Records of a log container's journal (docs/spec/kudu-data-dir.md#3-protobuf-container). */
import { crc32c } from "@cfile/bytes";
import { ByteNotes } from "@cfile/format/blocks";
import { parseBlockRecord, parseContainerFile } from "@cfile/kudu-dir/catalog";
import { messageBytes } from "@cfile/protobuf/write";
import type { Structure } from "../../reading.js";
import { type MessageShape, noteMessage } from "../protobuf-notes.js";

const BLOCK_RECORD: MessageShape = {
  1: ["block_id", { 1: "id" }],
  2: "op_type: 1 CREATE, 2 DELETE",
  3: "timestamp_us",
  4: "offset",
  5: "length",
};

/** The records that follow the header and the description of the messages. */
export const journal: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => {
      while (notes.reader.remaining > 0) {
        const length = notes.u32le("length", "message length");
        notes.skip(4, "checksum", "CRC-32C of the length");
        noteMessage(notes, length, BLOCK_RECORD);
        notes.skip(4, "checksum", "CRC-32C of the message");
      }
    }),
  read: (bytes) => {
    const { records, torn, damage } = parseContainerFile(withHeader(bytes), "journal");
    if (damage !== undefined) {
      throw damage;
    }
    const live = new Set<bigint>();
    const lines = records.map((record) => {
      const { id, op, offset, length } = parseBlockRecord(record);
      const isCreate = op === "create";
      isCreate ? live.add(id) : live.delete(id);
      return isCreate ? `create block ${id}: ${length} bytes at ${offset}` : `delete block ${id}`;
    });
    const end = torn ? ["the last record is incomplete: the server stopped during an append"] : [];
    return [...lines, ...end, `blocks: ${[...live].join(", ") || "none"}`];
  },
};

/** The container file of these records. */
function withHeader(records: Uint8Array): Uint8Array {
  const description = messageBytes((writer, name) => {
    writer.bytes(1, new Uint8Array(0));
    writer.text(2, name);
  }, "kudu.BlockRecordPB");
  const magic = Uint8Array.from([...new TextEncoder().encode("kuducntr"), 2, 0, 0, 0]);
  const length = u32(description.length);
  const parts = [
    magic,
    u32(crc32c(magic)),
    length,
    u32(crc32c(length)),
    description,
    u32(crc32c(description)),
  ];
  return Uint8Array.from([...parts.flatMap((part) => [...part]), ...records]);
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
