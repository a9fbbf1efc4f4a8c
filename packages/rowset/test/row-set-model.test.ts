/**
 * Random writes against a plain model that remembers every state. Runs are few unless `CFILE_MODEL_RUNS` says otherwise;
 * `CFILE_MODEL_SEED` gives another series.
 */
import type { CellValue } from "@cfile/encodings";
import { MemoryDirectory } from "@cfile/io";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createRowSet,
  openRowSet,
  type Predicate,
  type RowSetHandle,
  type RowSetSchema,
} from "../src/index.js";

type Key = readonly [number, string];
type Rest = readonly [number | null, string | null, number, boolean | null];

const column = { nullable: false, array: false, isKey: false } as const;
const rest = [
  { ...column, id: 10, name: "n", type: "INT32", nullable: true },
  { ...column, id: 12, name: "s", type: "STRING", nullable: true, encoding: "DICT_ENCODING" },
  { ...column, id: 11, name: "d", type: "DOUBLE" },
  { ...column, id: 13, name: "b", type: "BOOL", nullable: true },
] as const;
const schemas: Record<string, RowSetSchema> = {
  "one key column": { columns: [{ ...column, id: 1, name: "a", type: "INT16", isKey: true }, ...rest] },
  "two key columns": {
    columns: [
      { ...column, id: 1, name: "a", type: "INT16", isKey: true },
      { ...column, id: 2, name: "k", type: "STRING", isKey: true },
      ...rest,
    ],
  },
};

interface Version {
  readonly at: bigint;
  readonly cells: readonly CellValue[] | undefined;
}

/** What a table is: all versions of every row, in the order in which they were made. */
class Model {
  private readonly rows = new Map<string, { key: readonly CellValue[]; versions: Version[] }>();

  put(key: readonly CellValue[], at: bigint, cells: readonly CellValue[] | undefined): void {
    const name = JSON.stringify(key);
    const row = this.rows.get(name) ?? { key, versions: [] };
    this.rows.set(name, row);
    row.versions.push({ at, cells });
  }

  get(key: readonly CellValue[], asOf = 1n << 64n): readonly CellValue[] | undefined {
    return this.rows.get(JSON.stringify(key))?.versions.findLast(({ at }) => at < asOf)?.cells;
  }

  /** Rows that changed and were there at one end at least: those that are there as they are at `to`, of others the key. */
  changes(from: bigint, to: bigint): CellValue[][] {
    const changed = [...this.rows.values()].flatMap(({ key, versions }) => {
      const cells = this.get(key, to);
      const isReported =
        versions.some(({ at }) => at >= from && at < to) &&
        (cells !== undefined || this.get(key, from) !== undefined);
      return isReported ? [cells === undefined ? [...key] : [...key, ...cells]] : [];
    });
    return changed.sort((left, right) => compareKeys(left, right));
  }

  state(asOf?: bigint): CellValue[][] {
    const alive = [...this.rows.values()].flatMap(({ key }) => {
      const cells = this.get(key, asOf);
      return cells === undefined ? [] : [[...key, ...cells]];
    });
    return alive.sort((left, right) => compareKeys(left, right));
  }
}

function compareKeys(left: readonly CellValue[], right: readonly CellValue[]): number {
  const order = Number(left[0]) - Number(right[0]);
  return order !== 0 ? order : String(left[1]) < String(right[1]) ? -1 : 1;
}

async function changesOf(handle: RowSetHandle, from: bigint, to: bigint): Promise<CellValue[][]> {
  const keys = handle.schema.columns.filter((known) => known.isKey).length;
  const rows: CellValue[][] = [];
  for await (const batch of handle.changes(from, to)) {
    for (let i = 0; i < batch.length; i++) {
      const row = batch.columns.map((cells) => cells.get(i) ?? null);
      rows.push(batch.deleted[i] === 1 ? row.slice(0, keys) : row);
    }
  }
  return rows;
}

async function stateOf(
  handle: RowSetHandle,
  asOf?: bigint,
  where?: readonly Predicate[],
): Promise<CellValue[][]> {
  const rows: CellValue[][] = [];
  for await (const batch of handle.scan({ asOf, where })) {
    const columns = batch.columns.map((cells) => cells.toArray());
    for (let i = 0; i < batch.length; i++) {
      rows.push(columns.map((cells) => cells[i] ?? null));
    }
  }
  return rows;
}

const key = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.constantFrom("", "x", "x\0y"));
const cells = fc.tuple(
  fc.option(fc.integer({ min: -100, max: 100 })),
  fc.option(fc.constantFrom("", "one", "two", "three")),
  fc.double({ noNaN: true }),
  fc.option(fc.boolean()),
);
/** `undefined`: the cell stays. */
const part = fc.tuple(
  fc.option(fc.option(fc.integer()), { nil: undefined }),
  fc.option(fc.option(fc.constantFrom("four", "five")), { nil: undefined }),
  fc.option(fc.double({ noNaN: true }), { nil: undefined }),
  fc.option(fc.option(fc.boolean()), { nil: undefined }),
);
const wait = fc.integer({ min: 0, max: 3 });
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("upsert" as const),
      rows: fc.array(fc.tuple(key, cells), { maxLength: 5 }),
      wait,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("update" as const),
      rows: fc.array(fc.tuple(key, part), { maxLength: 5 }),
      wait,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("delete" as const),
      keys: fc.array(key, { maxLength: 4 }),
      wait,
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "compact" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("drop" as const), back: fc.integer({ min: 0, max: 8 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "reopen" as const }) },
);
const run = fc.record({
  first: fc.array(fc.tuple(key, cells), { maxLength: 12 }),
  operations: fc.array(operation, { maxLength: 14 }),
  asked: fc.array(fc.integer({ min: 0, max: 45 }), { minLength: 4, maxLength: 4 }),
});

const { CFILE_MODEL_RUNS, CFILE_MODEL_SEED } = process.env;
const numRuns = Number(CFILE_MODEL_RUNS ?? 150);
const seed = Number(CFILE_MODEL_SEED ?? 20261121);

describe.each(Object.entries(schemas))("a row set with %s, changed at random", (_, schema) => {
  const width = schema.columns.filter((known) => known.isKey).length;
  const nameOf = (value: Key): CellValue[] => value.slice(0, width);
  /** One row for each key, the last one. */
  const distinct = <T>(rows: readonly (readonly [Key, T])[]): [CellValue[], T][] => [
    ...new Map(
      rows.map(([k, value]) => [JSON.stringify(nameOf(k)), [nameOf(k), value] as [CellValue[], T]]),
    ).values(),
  ];

  it("is at every timestamp what the model says", { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ first, operations, asked }) => {
        const model = new Model();
        const directory = new MemoryDirectory();
        let now = 5n;
        const creation = await createRowSet(directory, schema, { timestamp: now });
        const begin = distinct<Rest>(first);
        await creation.appendRows(begin.map(([k, value]) => [...k, ...value]));
        await creation.finish();
        for (const [k, value] of begin) {
          model.put(k, now, value);
        }
        let handle = await openRowSet(directory);
        for (const step of operations) {
          if (step.kind === "compact") {
            await handle.compact();
          } else if (step.kind === "drop") {
            await handle.dropHistoryBefore(now - BigInt(step.back) > 0n ? now - BigInt(step.back) : 0n);
          } else if (step.kind === "reopen") {
            await handle.close();
            handle = await openRowSet(directory);
          } else {
            now += BigInt(step.wait);
            if (step.kind === "delete") {
              const keys = distinct(step.keys.map((k) => [k, 0] as const)).map(([k]) => k);
              const alive = keys.filter((k) => model.get(k) !== undefined);
              if (alive.length < keys.length) {
                await expect(handle.delete(keys, now)).rejects.toMatchObject({ code: "E_NOT_FOUND" });
              }
              await handle.delete(alive, now);
              for (const k of alive) {
                model.put(k, now, undefined);
              }
            } else if (step.kind === "update") {
              const rows = distinct(step.rows).filter(([k]) => model.get(k) !== undefined);
              await handle.update(
                rows.map(([k, value]) => [...k, ...value]),
                now,
              );
              for (const [k, value] of rows.filter(([, cells]) => cells.some((cell) => cell !== undefined))) {
                model.put(
                  k,
                  now,
                  value.map((cell, i) => (cell === undefined ? (model.get(k)?.[i] ?? null) : cell)),
                );
              }
            } else {
              const rows = distinct<Rest>(step.rows);
              await handle.upsert(
                rows.map(([k, value]) => [...k, ...value]),
                now,
              );
              for (const [k, value] of rows) {
                model.put(k, now, value);
              }
            }
          }
          expect(handle.lastTimestamp <= now).toBe(true);
        }
        expect(await stateOf(handle)).toEqual(model.state());
        for (const time of asked) {
          const asOf = BigInt(time);
          if (asOf < handle.historyStart) {
            expect(() => handle.scan({ asOf })).toThrow(/history begins/);
            continue;
          }
          const state = model.state(asOf);
          expect(await stateOf(handle, asOf)).toEqual(state);
          const where: Predicate[] = [
            { column: "a", op: ">", value: -2 },
            { column: "n", op: "<=", value: 10 },
            { column: "s", op: "isNotNull" },
          ];
          expect(await stateOf(handle, asOf, where)).toEqual(
            state.filter((row) => {
              const [n, text] = row.slice(width);
              return Number(row[0]) > -2 && n !== null && Number(n) <= 10 && text !== null;
            }),
          );
          for (const to of asked.map(BigInt).filter((time) => time >= asOf)) {
            expect(await changesOf(handle, asOf, to)).toEqual(model.changes(asOf, to));
          }
          for (const probe of [
            [0, "x"],
            [1, ""],
          ]) {
            const found = await handle.get(probe.slice(0, width), { asOf });
            const expected = model.get(probe.slice(0, width), asOf);
            expect(found?.cells).toEqual(expected && [...probe.slice(0, width), ...expected]);
          }
        }
        expect((await handle.verify()).flatMap(({ problems }) => problems)).toEqual([]);
        await handle.close();
      }),
      { numRuns, seed },
    );
  });
});
