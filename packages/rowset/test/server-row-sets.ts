/** Row sets written by Kudu servers, with the schemas of their superblocks (`fixtures/golden/README.md`). */

import type { CompressionType } from "@cfile/compression";
import type { DataType, EncodingType } from "@cfile/encodings";
import { readGolden, readGoldenJson } from "@cfile-tools/testkit";
import type { RowSetColumn } from "../src/index.js";

interface BlockOf {
  readonly block: { readonly id: string };
}

interface SuperblockRowSet {
  readonly id: string;
  readonly columns: readonly (BlockOf & { readonly columnId: number })[];
  readonly bloomBlock: { readonly id: string };
  readonly adhocIndexBlock?: { readonly id: string };
  readonly redoDeltas?: readonly BlockOf[];
  readonly undoDeltas?: readonly BlockOf[];
}

interface SuperblockColumn {
  readonly id: number;
  readonly name: string;
  readonly type: DataType | "NESTED";
  readonly isKey?: boolean;
  readonly isNullable?: boolean;
  readonly encoding: EncodingType;
  readonly compression: CompressionType | "DEFAULT_COMPRESSION";
  readonly cfileBlockSize: number;
}

interface Superblock {
  readonly tableName: string;
  readonly schema: { readonly columns: readonly SuperblockColumn[] };
  readonly rowsets?: readonly SuperblockRowSet[];
}

/** The files of a row set by role, and the columns of its table. */
export interface ServerRowSet {
  readonly name: string;
  readonly schemaColumns: readonly RowSetColumn[];
  readonly columns: ReadonlyMap<number, Uint8Array>;
  readonly bloom: Uint8Array;
  readonly adhocIndex: Uint8Array | undefined;
  readonly redo: readonly Uint8Array[];
  readonly undo: readonly Uint8Array[];
}

/** The blocks of a folder: one file each, or all in one file. */
export function blocksOf(folder: string): (id: string) => Uint8Array {
  if (folder === "cluster-file") {
    return (id) => readGolden(`${folder}/blocks/${id}`);
  }
  const places: Record<string, [number, number]> = readGoldenJson(`${folder}/blocks.json`);
  const all = readGolden(`${folder}/blocks.bin`);
  return (id) => {
    const place = places[id];
    if (place === undefined) {
      throw new Error(`no block ${id} in ${folder}`);
    }
    const [offset, length] = place;
    return all.slice(offset, offset + length);
  };
}

export function serverRowSets(folder: string): readonly ServerRowSet[] {
  const block = blocksOf(folder);
  const superblocks = readGoldenJson<Record<string, Superblock>>(`${folder}/superblocks.json`);
  return Object.entries(superblocks).flatMap(([tablet, { tableName, schema, rowsets = [] }]) =>
    rowsets.map((rowSet) => ({
      name: `${tableName}, tablet ${tablet.slice(0, 6)}, row set ${rowSet.id}`,
      schemaColumns: schema.columns.filter(({ type }) => type !== "NESTED").map(columnOf),
      columns: new Map(rowSet.columns.map((column) => [column.columnId, block(column.block.id)])),
      bloom: block(rowSet.bloomBlock.id),
      adhocIndex: rowSet.adhocIndexBlock && block(rowSet.adhocIndexBlock.id),
      redo: (rowSet.redoDeltas ?? []).map((delta) => block(delta.block.id)),
      undo: (rowSet.undoDeltas ?? []).map((delta) => block(delta.block.id)),
    })),
  );
}

function columnOf(column: SuperblockColumn): RowSetColumn {
  return {
    id: column.id,
    name: column.name,
    type: column.type as DataType,
    nullable: column.isNullable ?? false,
    array: false,
    isKey: column.isKey ?? false,
    encoding: column.encoding,
    compression: column.compression === "DEFAULT_COMPRESSION" ? "NO_COMPRESSION" : column.compression,
    blockSize: column.cfileBlockSize || undefined,
  };
}
