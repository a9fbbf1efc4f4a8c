import { MemoryArena } from "@cfile/bytes";
import { type CellValue, rowNumbers } from "@cfile/encodings";
import { expectSame, randomNumbers } from "@cfile-tools/testkit";
import { describe, it } from "vitest";
import { openRowSet, type RowSetReader, type RowSetSchema, type RowVersion } from "../src/index.js";
import { column, type Entry, filesOf, writeBase, writeDeltas } from "./synthetic.js";

const schema: RowSetSchema = {
  columns: [
    column(1, "k", { isKey: true, type: "STRING" }),
    column(2, "n", { nullable: true }),
    column(3, "s", { type: "STRING", nullable: true, blockSize: 512 }),
    column(4, "b", { type: "BOOL", nullable: true }),
    column(5, "a", { type: "INT16", array: true, nullable: true }),
    column(6, "w", { type: "INT128" }),
    column(7, "later", { type: "DATE", nullable: true }),
    column(8, "default", { type: "STRING", readDefault: "none" }),
    column(9, "list", { type: "STRING", array: true, nullable: true }),
  ],
};
/** The columns of the base data. */
const written: RowSetSchema = { columns: schema.columns.filter(({ id }) => id < 7) };
const ROWS = 60;

interface ModelFile {
  readonly kind: "undo" | "redo";
  readonly entries: readonly Entry[];
}

type Row = Record<string, CellValue>;

function baseRow(i: number): Row {
  return {
    k: `key ${String(i).padStart(3, "0")}`,
    n: i % 5 === 0 ? null : i,
    s: i % 7 === 0 ? null : `word ${i % 3}`,
    b: i % 4 === 0 ? null : i % 2 === 0,
    a: i % 6 === 0 ? null : Array.from({ length: i % 4 }, (_, j) => (j === 1 ? null : j)),
    w: BigInt(i) << 70n,
  };
}

/** The snapshot as the specification defines it: all entries that apply, in order. */
function stateAt(files: readonly ModelFile[], row: number, asOf: bigint): { alive: boolean; cells: Row } {
  const cells: Row = { later: null, default: "none", list: null, ...baseRow(row) };
  let alive = true;
  for (const { kind, entries } of files) {
    for (const entry of entries) {
      if (entry.row !== row || (kind === "undo" ? entry.timestamp < asOf : entry.timestamp >= asOf)) {
        continue;
      }
      alive = entry.type === 2 ? false : entry.type === 3 ? true : alive;
      for (const { id, name } of schema.columns) {
        const cell = entry.cells?.[id];
        if (cell !== undefined) {
          cells[name] = cell as CellValue;
        }
      }
    }
  }
  return { alive, cells };
}

function randomFile(kind: ModelFile["kind"], random: (below: number) => number): ModelFile {
  const entries: Entry[] = [];
  for (let row = 0; row < ROWS; row++) {
    const timestamps = Array.from({ length: random(3) === 0 ? random(5) : 0 }, () => BigInt(10 + random(12)));
    timestamps.sort((left, right) => Number(kind === "redo" ? left - right : right - left));
    for (const timestamp of timestamps) {
      const type = ([1, 1, 1, 2, 3] as const)[random(5)] ?? 1;
      entries.push({ row, timestamp, type, ...(type === 2 ? {} : { cells: randomCells(random) }) });
    }
  }
  return {
    kind,
    entries: entries.length > 0 ? entries : [{ row: 0, timestamp: 11n, type: 1, cells: { 2: 1 } }],
  };
}

function randomCells(random: (below: number) => number): Record<number, CellValue> {
  const cells: Record<number, CellValue> = {
    2: random(3) === 0 ? null : random(100),
    3: random(3) === 0 ? null : "x".repeat(random(90)),
    4: random(3) === 0 ? null : random(2) === 0,
    5: random(3) === 0 ? null : [random(9), null],
    6: -BigInt(random(1000)),
    7: random(1000),
    8: `default ${random(10)}`,
    9: random(3) === 0 ? null : ["a", null, "b".repeat(random(4))],
    99: random(5),
  };
  const chosen = Object.entries(cells).filter(() => random(3) === 0);
  return Object.fromEntries(chosen.length > 0 ? chosen : [["2", 7]]);
}

async function openModel(seed: number): Promise<{ reader: RowSetReader; files: ModelFile[] }> {
  const random = randomNumbers(seed);
  const files = [
    ...Array.from({ length: random(3) }, () => randomFile("undo", random)),
    ...Array.from({ length: random(4) }, () => randomFile("redo", random)),
  ];
  const base = await writeBase(
    written,
    Array.from({ length: ROWS }, (_, i) => baseRow(i)),
  );
  const bytes = (kind: ModelFile["kind"]): Promise<Uint8Array[]> =>
    Promise.all(
      files.filter((file) => file.kind === kind).map(({ entries }) => writeDeltas(kind, schema, entries)),
    );
  const reader = await openRowSet(filesOf(base, await bytes("redo"), await bytes("undo")), schema);
  return { reader, files };
}

const TIMES = [0n, 10n, 12n, 14n, 15n, 16n, 17n, 19n, 21n, 22n, 2n ** 64n - 1n];

describe.each([1, 2, 3, 4, 5, 6, 7, 8])("changes of any kind, in any number of files (%i)", (seed) => {
  it("yield the snapshots of the specification", async () => {
    const { reader, files } = await openModel(seed);
    for (const asOf of TIMES) {
      const expected = Array.from({ length: ROWS }, (_, row) => stateAt(files, row, asOf))
        .filter(({ alive }) => alive)
        .map(({ cells }) => schema.columns.map(({ name }) => cells[name]));
      for (const batchRows of [undefined, 9]) {
        const rows: (CellValue | undefined)[][] = [];
        for await (const batch of reader.scan({ asOf, batchRows, arena: new MemoryArena() })) {
          const cells = batch.columns.map((cells) => cells.toArray());
          rows.push(...Array.from({ length: batch.length }, (_, i) => cells.map((column) => column[i])));
        }
        expectSame(rows, expected);
      }
    }
  });

  it("are found by lookups and in histories", async () => {
    const { reader, files } = await openModel(seed);
    for (let row = 0; row < ROWS; row++) {
      const key = [baseRow(row)["k"] ?? null];
      const versions = await reader.history(key);
      for (const asOf of TIMES) {
        const { alive, cells } = stateAt(files, row, asOf);
        const expected = alive ? schema.columns.map(({ name }) => cells[name]) : undefined;
        expectSame((await reader.get(key, { asOf }))?.cells, expected);
        expectSame(cellsAt(versions, asOf), expected);
      }
    }
  });

  it("are reported between two timestamps", async () => {
    const { reader, files } = await openModel(seed);
    for (const [from, to] of [
      [0n, 100n],
      [12n, 15n],
      [14n, 22n],
      [15n, 15n],
      [17n, 19n],
    ] as const) {
      const expected = Array.from({ length: ROWS }, (_, row) => row).filter((row) =>
        isReported(files, row, from, to),
      );
      const rows: number[] = [];
      for await (const batch of reader.diff(from, to, { batchRows: 13 })) {
        rows.push(...rowNumbers(batch));
        const cells = batch.columns.map((cells) => cells.toArray());
        rowNumbers(batch).forEach((row, i) => {
          const state = stateAt(files, row, to);
          expectSame(batch.deleted[i], state.alive ? 0 : 1);
          expectSame(
            cells.map((column) => column[i]),
            schema.columns.map(({ name }) => state.cells[name]),
          );
        });
      }
      expectSame(rows, expected);
    }
  });
});

function cellsAt(versions: readonly RowVersion[], asOf: bigint): readonly CellValue[] | undefined {
  const version = versions
    .filter(({ timestamp }) => (timestamp ?? -1n) < asOf || timestamp === undefined)
    .at(-1);
  return version === undefined || version.deleted ? undefined : version.cells;
}

function isReported(files: readonly ModelFile[], row: number, from: bigint, to: bigint): boolean {
  const selected = files.flatMap(({ kind, entries }, file) =>
    entries
      .map((entry, i) => ({ ...entry, kind, place: 1000 * file + i }))
      .filter((entry) => entry.row === row && entry.timestamp >= from && entry.timestamp < to),
  );
  selected.sort((left, right) => {
    if (left.timestamp !== right.timestamp) {
      return Number(left.timestamp - right.timestamp);
    }
    if (left.kind !== right.kind) {
      return left.kind === "undo" ? -1 : 1;
    }
    return left.kind === "undo" ? right.place - left.place : left.place - right.place;
  });
  const oldest = selected[0];
  const newest = selected.at(-1);
  if (oldest === undefined || newest === undefined) {
    return false;
  }
  const wasDead = oldest.type === (oldest.kind === "redo" ? 3 : 2);
  const isDead = newest.type === (newest.kind === "redo" ? 2 : 3);
  return oldest === newest || !(wasDead && isDead);
}
