/** A value of the `files` partition of Hudi's metadata table. */
import { avroDecoder, decodeAvro, parseAvroSchema } from "@cfile/avro";
import { ByteNotes } from "@cfile/format/blocks";
import { readVarint64BigInt } from "@cfile/varint";
import type { Structure } from "../reading.js";
import { valueText } from "../value-text.js";

const ADDED = ["commit_time", "commit_seqno", "record_key", "partition_path", "file_name"];
const OTHERS = [
  "BloomFilterMetadata",
  "ColumnStatsMetadata",
  "recordIndexMetadata",
  "SecondaryIndexMetadata",
];
const FILE = {
  type: "record",
  name: "HoodieMetadataFileInfo",
  fields: [
    { name: "size", type: "long" },
    { name: "isDeleted", type: "boolean" },
  ],
};
/** The schema that Hudi 1.2 stores, without the records of other partitions. */
const SCHEMA = JSON.stringify({
  type: "record",
  name: "HoodieMetadataRecord",
  fields: [
    ...ADDED.map((name) => ({ name: `_hoodie_${name}`, type: ["null", "string"] })),
    { name: "key", type: "string" },
    { name: "type", type: "int" },
    { name: "filesystemMetadata", type: ["null", { type: "map", values: FILE }] },
    ...OTHERS.map((name) => ({ name, type: ["null"] })),
  ],
});

export const metadataRecord: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => {
      const long = (role: "field" | "length" | "count", label: string): number => {
        const raw = readVarint64BigInt(notes.reader, label);
        const value = Number((raw >> 1n) ^ -(raw & 1n));
        notes.note(role, label, String(value));
        return value;
      };
      const text = (label: string): void => {
        const length = long("length", `${label}: length`);
        if (length > 0) {
          notes.skip(length, "key", label);
        }
      };
      for (const name of ADDED) {
        long("field", `_hoodie_${name}: branch of the union, 0 is null`);
      }
      text("key");
      long("field", "type: 1 partitions, 2 files");
      if (long("field", "filesystemMetadata: branch of the union") === 1) {
        for (
          let count = long("count", "entries");
          count > 0;
          count = long("count", "entries; 0 ends the map")
        ) {
          for (let i = 0; i < count; i++) {
            text("name");
            long("field", "size");
            notes.skip(1, "field", "isDeleted");
          }
        }
      }
      for (const name of OTHERS) {
        long("field", `${name}: branch of the union`);
      }
    }),
  read: (bytes) => {
    const record = decodeAvro(avroDecoder(parseAvroSchema(SCHEMA)), bytes);
    const isRecord = typeof record === "object" && record !== null && "filesystemMetadata" in record;
    const files = isRecord ? record["filesystemMetadata"] : undefined;
    return files instanceof Map
      ? [...files].map(([name, file]) => `${name}: ${valueText(file)}`)
      : ["no file system metadata"];
  },
};
