/**
 * `rowset.json`: what a row set's directory holds. The directory is a small tablet: its rows may lie in several row sets, of
 * which each has its files.
 *
 * | field | |
 * | --- | --- |
 * | `format`, `version` | `"cfile-rowset"`, 1 |
 * | `nextFile` | number of the next file: names are never used twice |
 * | `lastTimestamp` | of the last write, decimal |
 * | `historyStart` | states before this timestamp are gone, decimal |
 * | `schema.columns` | `id`, `name`, `type`, `nullable`, `array`, `key`; perhaps `encoding`, `compression`, `blockSize`, `readDefault` (hexadecimal, as in change lists, or null), `precision`, `scale`, `length` |
 * | `rowSets` | oldest first: `rows`, `minKey`, `maxKey` (hexadecimal), and the files: `columns` (with `id`), `bloom`, `adhocIndex`, `redo` (oldest first), `undo` (newest first), each with `file` and `bytes` |
 */
import { toHex } from "@cfile/bytes";
import { encodeCell } from "@cfile/deltafile";
import type { RowSetColumn, RowSetSchema } from "../schema/schema.js";

export const MANIFEST_FILE = "rowset.json";
export const MANIFEST_FORMAT = "cfile-rowset";
export const MANIFEST_VERSION = 1;

/** A file of the directory and how long it is. */
export interface ManifestFile {
  readonly file: string;
  readonly bytes: number;
}

/** One row set in `rowset.json`. */
export interface ManifestRowSet {
  readonly rows: number;
  /** Encoded keys of the first and the last row. */
  readonly minKey: Uint8Array;
  readonly maxKey: Uint8Array;
  /** By column id, one for each column of the schema. */
  readonly columns: ReadonlyMap<number, ManifestFile>;
  readonly bloom: ManifestFile;
  readonly adhocIndex: ManifestFile | undefined;
  /** Oldest first. */
  readonly redo: readonly ManifestFile[];
  /** Newest first. */
  readonly undo: readonly ManifestFile[];
}

/** What `rowset.json` says: the schema, the row sets and their files. */
export interface Manifest {
  readonly schema: RowSetSchema;
  /** Number of the next file. */
  readonly nextFile: number;
  /** Timestamp of the last write; 0 before the first. */
  readonly lastTimestamp: bigint;
  /** States before this timestamp are gone; 0: none is. */
  readonly historyStart: bigint;
  /** Oldest first: of a key that lies in several, the later ones are its later lives. */
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

/** A column as manifests have it. */
export function columnJson(column: RowSetColumn): Record<string, unknown> {
  const { id, name, type, nullable, array, isKey, encoding, compression, blockSize, readDefault } = column;
  const { precision, scale, length } = column;
  return {
    id,
    name,
    type,
    nullable,
    array,
    key: isKey,
    encoding,
    compression,
    blockSize,
    readDefault: readDefault === undefined ? undefined : defaultJson(column),
    precision,
    scale,
    length,
  };
}

function defaultJson(column: RowSetColumn): string | null {
  const bytes = encodeCell(column, column.readDefault);
  return bytes && toHex(bytes);
}
