import { expect, test } from "vitest";
import { checkRowSets } from "../src/check/check-row-sets.js";
import type { CheckedRowSet, RowSetPlace } from "../src/check.js";

const places: RowSetPlace[] = Array.from({ length: 7 }, (_, i) => ({ tablet: "t", rowSet: BigInt(i) }));
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const resultOf = ({ rowSet }: RowSetPlace): CheckedRowSet => ({
  problems: [],
  missing: [],
  liveRows: Number(rowSet),
});

test("results come in order, whichever check ends first, and each row set is checked once", async () => {
  const done: bigint[] = [];
  const slow = async (place: RowSetPlace): Promise<CheckedRowSet> => {
    await wait(30);
    done.push(place.rowSet);
    return resultOf(place);
  };
  const fast = async (place: RowSetPlace): Promise<CheckedRowSet> => {
    done.push(place.rowSet);
    return resultOf(place);
  };
  const told: number[] = [];
  await checkRowSets(places, [slow, fast], undefined, ({ liveRows }, index) => {
    expect(liveRows).toBe(index);
    told.push(index);
  });
  expect(told).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(done[0]).not.toBe(0n);
  expect([...done].sort()).toEqual(places.map(({ rowSet }) => rowSet));
});

test("the last row sets are left to the first checkers", async () => {
  const taken: [number, bigint][] = [];
  const checkers = [0, 1, 2, 3].map((number) => async (place: RowSetPlace) => {
    taken.push([number, place.rowSet]);
    return resultOf(place);
  });
  await checkRowSets(places.slice(0, 5), checkers, undefined, () => undefined);
  expect(taken).toEqual([
    [0, 0n],
    [1, 1n],
    [2, 2n],
    [0, 3n],
    [1, 4n],
  ]);
});

test("an error stops the others after their current row set", async () => {
  let checked = 0;
  const bad = async (): Promise<CheckedRowSet> => {
    throw new TypeError("the disk is gone");
  };
  const good = async (place: RowSetPlace): Promise<CheckedRowSet> => {
    await wait(5);
    checked++;
    return resultOf(place);
  };
  const told: number[] = [];
  const checking = checkRowSets(places, [bad, good], undefined, (_, index) => told.push(index));
  await expect(checking).rejects.toThrow("the disk is gone");
  await wait(30);
  expect(checked).toBe(1);
  expect(told).toEqual([]);
});

test("an abort stops the check", async () => {
  const stopped = new AbortController();
  const checker = async (place: RowSetPlace): Promise<CheckedRowSet> => {
    stopped.abort(new Error("enough"));
    return resultOf(place);
  };
  await expect(checkRowSets(places, [checker], stopped.signal, () => undefined)).rejects.toThrow("enough");
});
