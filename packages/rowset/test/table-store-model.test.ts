/**
 * Random writes compared with a plain model that remembers every state. `CFILE_MODEL_RUNS` sets the number of runs (few by default,
 * many in `pnpm rowset:model`), `CFILE_MODEL_SEED` the series.
 */
import { expectSame, randomNumbers } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RowScanOptions, RowSetSchema } from "../src/index.js";
import type { TableStore } from "../src/store.js";
import { randomPredicate } from "./plain-filter.js";
import { run, Subject } from "./random-writes.js";
import { type Cells, versionAt } from "./row-model.js";

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

async function stateOf(handle: TableStore, options: RowScanOptions): Promise<Cells[]> {
  const found: Cells[] = [];
  for await (const batch of handle.scan(options)) {
    const columns = batch.columns.map((cells) => cells.toArray());
    for (let i = 0; i < batch.length; i++) {
      found.push(columns.map((cells) => cells[i] ?? null));
    }
  }
  return found;
}

async function changesOf(handle: TableStore, from: bigint, to: bigint): Promise<Cells[]> {
  const keyLength = handle.schema.columns.filter(({ isKey }) => isKey).length;
  const found: Cells[] = [];
  for await (const batch of handle.diff(from, to)) {
    for (let i = 0; i < batch.length; i++) {
      const row = batch.columns.map((cells) => cells.get(i) ?? null);
      found.push(batch.deleted[i] === 1 ? row.slice(0, keyLength) : row);
    }
  }
  return found;
}

/** One timestamp, read in every way. */
async function checkTime(
  { handle, model, schema }: Subject,
  asOf: bigint,
  keys: readonly Cells[],
  random: (below: number) => number,
): Promise<void> {
  const state = model.state(asOf);
  expectSame(await stateOf(handle, { asOf }), state);
  const plainRows = state.map((row) => model.plain(row));
  for (let i = 0; i < 2; i++) {
    const where = Array.from({ length: 1 + random(3) }, () =>
      randomPredicate(plainRows, schema.columns, random),
    );
    const limit = random(3) === 0 ? random(6) : undefined;
    const batchRows = random(2) === 0 ? 1 + random(5) : undefined;
    const matching = model.matching(state, where);
    expectSame(await stateOf(handle, { asOf, where, limit, batchRows }), matching.slice(0, limit));
  }
  const [from = [], to = []] = keys.toSorted((left, right) => model.compareKeys(left, right));
  const inRange = state.filter((row) => model.compareKeys(row, from) >= 0 && model.compareKeys(row, to) < 0);
  expectSame(await stateOf(handle, { asOf, keys: { from, to } }), inRange);
  for (const key of keys) {
    const cells = model.get(key, asOf);
    const expected = cells && [...key, ...cells];
    expectSame((await handle.get(key, { asOf }))?.cells, expected);
    expectSame(versionAt(await handle.history(key), asOf), expected);
  }
}

const { CFILE_MODEL_RUNS, CFILE_MODEL_SEED } = process.env;
const numRuns = Number(CFILE_MODEL_RUNS ?? 40);
const seed = Number(CFILE_MODEL_SEED ?? 20261121);

describe.each(Object.entries(schemas))("a table store with %s and random writes", (_, schema) => {
  it("equals the model at every timestamp", { timeout: 7_200_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ first, operations, asked, probes, seed }) => {
        const subject = new Subject(schema);
        const { model } = subject;
        await subject.create(first);
        for (const step of operations) {
          await subject.apply(step);
        }
        const { handle } = subject;
        const random = randomNumbers(seed);
        const keys = probes.map((probe) => subject.keyOf(probe));
        expectSame(await stateOf(handle, {}), model.state());
        for (const asOf of asked.map(BigInt)) {
          if (asOf < handle.historyStart) {
            expect(() => handle.scan({ asOf })).toThrow(/history begins/);
            continue;
          }
          await checkTime(subject, asOf, keys, random);
          for (const to of asked.map(BigInt).filter((time) => time >= asOf)) {
            expectSame(await changesOf(handle, asOf, to), model.changes(asOf, to));
          }
        }
        expectSame(
          (await handle.verify()).flatMap(({ problems }) => problems),
          [],
        );
        await handle.close();
      }),
      { numRuns, seed },
    );
  });
});
