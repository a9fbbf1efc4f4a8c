/** Tablets of Kudu servers, and the rows that Kudu's own client read from them (`fixtures/golden/README.md`). */

import { fromHex, toHex } from "@cfile/bytes";
import { type DeltaColumn, decodeCell } from "@cfile/deltafile";
import { type CellValue, type ColumnBatch, DATA_TYPES, type DataType } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import { bytesOf } from "@cfile/encodings/batches";
import { type ByteSource, memorySource } from "@cfile/io";
import { readGoldenJson } from "@cfile-tools/testkit";
import {
  openRowSet,
  type RowSetFiles,
  type RowSetOptions,
  type RowSetSchema,
  TabletReader,
} from "../src/index.js";
import { blocksOf } from "./server-row-sets.js";

export type JsonCell = unknown;
type JsonRow = readonly JsonCell[];

interface Snapshot {
  readonly label: string;
  readonly timestamp: string;
  readonly tablets: Readonly<Record<string, readonly JsonRow[]>>;
}

interface Diff {
  readonly from: string;
  readonly to: string;
  readonly tablets: Readonly<Record<string, readonly JsonRow[]>>;
}

export interface ClientRows {
  readonly columns: readonly { readonly name: string; readonly id: number }[];
  readonly snapshots: readonly Snapshot[];
  readonly diffs: readonly Diff[];
}

interface SuperblockColumn {
  readonly id: number;
  readonly name: string;
  readonly type: DataType;
  readonly isKey?: boolean;
  readonly isNullable?: boolean;
  readonly readDefaultValue?: string;
}

interface BlockOf {
  readonly block: { readonly id: string };
}

interface Superblock {
  readonly tableName: string;
  readonly schema: { readonly columns: readonly SuperblockColumn[] };
  readonly rowsets?: readonly {
    readonly columns: readonly (BlockOf & { readonly columnId: number })[];
    readonly bloomBlock: { readonly id: string };
    readonly adhocIndexBlock?: { readonly id: string };
    readonly redoDeltas?: readonly BlockOf[];
    readonly undoDeltas?: readonly BlockOf[];
    readonly liveRowCount?: string;
  }[];
}

export interface ServerTablet {
  readonly id: string;
  readonly table: string;
  readonly schema: RowSetSchema;
  readonly rowSets: readonly RowSetFiles[];
  /** Live rows per row set, as counted by the server. */
  readonly liveRowCounts: readonly number[];
}

const knownRows = new Map<string, ClientRows>();
const knownTablets = new Map<string, readonly ServerTablet[]>();

/** Returns the same object each time. */
export function clientRows(folder: string, table: string): ClientRows {
  const path = `${folder}/rows/${table}.json`;
  const rows: ClientRows = knownRows.get(path) ?? readGoldenJson<ClientRows>(path);
  knownRows.set(path, rows);
  return rows;
}

/** Returns the same objects each time. */
export function serverTablets(folder: string): readonly ServerTablet[] {
  const tablets = knownTablets.get(folder) ?? readTablets(folder);
  knownTablets.set(folder, tablets);
  return tablets;
}

function readTablets(folder: string): readonly ServerTablet[] {
  const block = blocksOf(folder);
  const source = (id: string): ByteSource => memorySource(block(id), `block ${id}`);
  const superblocks: Record<string, Superblock> = readGoldenJson(`${folder}/superblocks.json`);
  return Object.entries(superblocks).map(([id, { tableName, schema, rowsets = [] }]) => ({
    id,
    table: tableName,
    schema: { columns: schema.columns.map(columnOf) },
    rowSets: rowsets.map(
      (rowSet): RowSetFiles => ({
        columns: new Map(rowSet.columns.map((column) => [column.columnId, source(column.block.id)])),
        bloom: source(rowSet.bloomBlock.id),
        adhocIndex: rowSet.adhocIndexBlock && source(rowSet.adhocIndexBlock.id),
        redo: (rowSet.redoDeltas ?? []).map((delta) => source(delta.block.id)),
        undo: (rowSet.undoDeltas ?? []).map((delta) => source(delta.block.id)),
      }),
    ),
    liveRowCounts: rowsets.map((rowSet) => Number(rowSet.liveRowCount ?? 0)),
  }));
}

function columnOf(column: SuperblockColumn): RowSetSchema["columns"][number] {
  const { id, name, type, isKey = false, isNullable = false, readDefaultValue } = column;
  return {
    id,
    name,
    type,
    nullable: isNullable,
    array: false,
    isKey,
    readDefault:
      readDefaultValue === undefined
        ? undefined
        : cellOfBytes(
            { id, type, nullable: isNullable },
            new Uint8Array(Buffer.from(readDefaultValue, "base64")),
          ),
  };
}

function cellOfBytes(column: DeltaColumn, data: Uint8Array): CellValue {
  return decodeCell(column, { isNull: false, data, start: 0, end: data.length }, { strings: "bytes" });
}

export async function openTablet(
  { schema, rowSets }: ServerTablet,
  options: RowSetOptions = {},
): Promise<TabletReader> {
  return new TabletReader(
    schema,
    await Promise.all(rowSets.map((files) => openRowSet(files, schema, options))),
  );
}

/** Cells in the format of the fixtures. */
export function jsonCells(batch: ColumnBatch): JsonCell[] {
  const cells = batch.toArray({ strings: "bytes" });
  const { physical } = DATA_TYPES[batch.type];
  return cells.map((cell, i) => {
    if (cell !== null && batch.kind === "fixed" && (physical === "FLOAT" || physical === "DOUBLE")) {
      const width = physical === "FLOAT" ? 4 : 8;
      return {
        bits: toHex(
          bytesOf(batch.values)
            .slice(i * width, (i + 1) * width)
            .reverse(),
        ),
      };
    }
    return jsonCell(batch.type, cell);
  });
}

/** One cell in the format of the fixtures; the payload of a NaN may differ. */
export function jsonCell(type: DataType, cell: CellValue): JsonCell {
  const { physical } = DATA_TYPES[type];
  if (cell !== null && (physical === "FLOAT" || physical === "DOUBLE")) {
    const bytes = physical === "FLOAT" ? Float32Array.of(Number(cell)) : Float64Array.of(Number(cell));
    return { bits: toHex(bytesOf(bytes).slice().reverse()) };
  }
  return typeof cell === "bigint" ? String(cell) : cell instanceof Uint8Array ? toHex(cell) : cell;
}

/** A cell of the fixtures as an argument of a lookup. */
export function cellOfJson(type: DataType, cell: JsonCell): CellValue {
  if (DATA_TYPES[type].physical === "BINARY") {
    return fromHex(String(cell));
  }
  return typeof cell === "string" ? BigInt(cell) : (cell as CellValue);
}

export function jsonRows(batch: TableBatch): JsonCell[][] {
  const columns = batch.columns.map(jsonCells);
  return Array.from({ length: batch.length }, (_, row) => columns.map((cells) => cells[row]));
}

export async function collectRows(batches: AsyncIterable<TableBatch>): Promise<JsonCell[][]> {
  const rows: JsonCell[][] = [];
  for await (const batch of batches) {
    rows.push(...jsonRows(batch));
  }
  return rows;
}
