/** Superblocks and entries of `sys.catalog`: protobuf messages (docs/spec/kudu-data-dir.md#7-superblock). */
import { ByteNotes } from "@cfile/format/blocks";
import {
  type KuduSchema,
  parseCatalogTable,
  parseCatalogTablet,
  parseSuperblock,
  rolesOf,
} from "@cfile/kudu-dir/catalog";
import type { Structure } from "../../reading.js";
import { type MessageShape, noteMessage } from "../protobuf-notes.js";
import { SUPERBLOCK, TABLES_ENTRY, TABLETS_ENTRY } from "./schema-shapes.js";

export const superblock: Structure = {
  note: notesOf(SUPERBLOCK),
  read: (bytes) => {
    const { tableName, tabletId, state, schema, schemaVersion, lastDurableMrsId, rowSets } =
      parseSuperblock(bytes);
    return [
      `table ${tableName}, tablet ${tabletId.slice(0, 8)}…, ${state}`,
      `schema version ${schemaVersion}: ${schemaText(schema)}`,
      `flushed up to MemRowSet ${lastDurableMrsId}`,
      ...rowSets.map((rowSet) => {
        const files = rolesOf(rowSet).map(({ id, role }) => `${role} in block ${id}`);
        return `row set ${rowSet.id}: ${files.join(", ")}`;
      }),
    ];
  },
};

export const catalogTable: Structure = {
  note: notesOf(TABLES_ENTRY),
  read: (bytes) => {
    const { name, state, owner, replicas, schema } = parseCatalogTable("0".repeat(32), bytes);
    return [`${name}: ${state}, ${replicas} replicas, owner ${owner ?? "none"}`, schemaText(schema)];
  },
};

export const catalogTablet: Structure = {
  note: notesOf(TABLETS_ENTRY),
  read: (bytes) => {
    const { tableId, state, config } = parseCatalogTablet("0".repeat(32), bytes);
    const peers = config?.peers.map(({ uuid }) => `${uuid.slice(0, 8)}…`) ?? [];
    return [`tablet of table ${tableId.slice(0, 8)}…: ${state}`, `replicas: ${peers.join(", ") || "none"}`];
  },
};

function notesOf(shape: MessageShape): Structure["note"] {
  return (bytes) => ByteNotes.of(bytes, (notes) => noteMessage(notes, bytes.length, shape));
}

function schemaText({ columns }: KuduSchema): string {
  return columns.map(({ name, type, nullable }) => `${name} ${type}${nullable ? "?" : ""}`).join(", ");
}
