/**
 * `rowset.json`, the manifest of a table store. The store is a small tablet: its rows are in one or more row sets.
 *
 * | field | |
 * | --- | --- |
 * | `format`, `version` | `"cfile-rowset"`, 1 |
 * | `nextFile` | number of the next file: names are never reused |
 * | `lastTimestamp` | of the last write, decimal |
 * | `historyStart` | earliest snapshot that can be read, decimal |
 * | `schema.columns` | `id`, `name`, `type`, `nullable`, `array`, `key`; optional: `encoding`, `compression`, `blockSize`, `readDefault` (hexadecimal, as in change lists, or null), `precision`, `scale`, `length` |
 * | `rowSets` | oldest first: `rows`, `minKey`, `maxKey` (hexadecimal), and the files: `columns` (with `id`), `bloom`, `adhocIndex`, `redo` (oldest first), `undo` (newest first), each with `file` and `bytes` |
 */
import { toHex } from "@cfile/bytes";
import { encodeCell } from "@cfile/deltafile";
import type { RowSetColumn, RowSetSchema } from "../schema/schema.js";

export const MANIFEST_FILE = "rowset.json";
export const MANIFEST_FORMAT = "cfile-rowset";
export const MANIFEST_VERSION = 1;

/** A file of the table store and its size. */
export interface ManifestFile {
  readonly file: string;
  readonly bytes: number;
}

/** A row set in `rowset.json`. */
export interface ManifestRowSet {
  readonly rows: number;
  /** Encoded keys of the first and the last row. */
  readonly minKey: Uint8Array;
  readonly maxKey: Uint8Array;
  /** By column ID, one for each column of the schema. */
  readonly columns: ReadonlyMap<number, ManifestFile>;
  readonly bloom: ManifestFile;
  readonly adhocIndex: ManifestFile | undefined;
  /** Oldest first. */
  readonly redo: readonly ManifestFile[];
  /** Newest first. */
  readonly undo: readonly ManifestFile[];
}

/** The content of `rowset.json`: the schema, the row sets and their files. */
export interface Manifest {
  readonly schema: RowSetSchema;
  /** Number of the next file. */
  readonly nextFile: number;
  /** Timestamp of the last write; 0 before the first. */
  readonly lastTimestamp: bigint;
  /** Snapshots before this timestamp are gone; 0 when all can be read. */
  readonly historyStart: bigint;
  /** Oldest first: if a key is in several row sets, the last of them has its last life. */
  readonly rowSets: readonly ManifestRowSet[];
}

/** All files of a row set. */
export function filesOf({ columns, bloom, adhocIndex, redo, undo }: ManifestRowSet): readonly ManifestFile[] {
  return [...columns.values(), bloom, ...(adhocIndex ? [adhocIndex] : []), ...redo, ...undo];
}

export function encodeManifest(manifest: Manifest): Uint8Array {
  const json = {
    format: MANIFEST_FORMAT,
    version: MANIFEST_VERSION,
    nextFile: manifest.nextFile,
    lastTimestamp: String(manifest.lastTimestamp),
    historyStart: String(manifest.historyStart),
    schema: { columns: manifest.schema.columns.map(columnJson) },
    rowSets: manifest.rowSets.map((rowSet) => ({
      rows: rowSet.rows,
      minKey: toHex(rowSet.minKey),
      maxKey: toHex(rowSet.maxKey),
      columns: [...rowSet.columns].map(([id, { file, bytes }]) => ({ id, file, bytes })),
      bloom: rowSet.bloom,
      adhocIndex: rowSet.adhocIndex,
      redo: rowSet.redo,
      undo: rowSet.undo,
    })),
  };
  return new TextEncoder().encode(`${JSON.stringify(json, undefined, 1)}\n`);
}

/** A column as manifests store it. @throws {CFileError} `E_INVALID_ARGUMENT` for a `readDefault` that does not fit */
export function columnJson(column: RowSetColumn): Record<string, unknown> {
  const { id, name, type, nullable, array, isKey, encoding, compression, blockSize } = column;
  const { precision, scale, length, readDefault: value } = column;
  const bytes = value === undefined ? undefined : encodeCell(column, value);
  const readDefault = bytes && toHex(bytes);
  const shape = { id, name, type, nullable, array, key: isKey };
  return { ...shape, encoding, compression, blockSize, readDefault, precision, scale, length };
}
