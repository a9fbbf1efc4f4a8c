import { expect, test } from "vitest";
import { cutTableStores } from "../src/disk/cut-table-stores.js";

test("power cuts and failures at random operations of every kind of change leave the rows before or after it", async () => {
  const { cuts, failures, outcomes, faults } = await cutTableStores(1, 10);
  expect(faults).toEqual([]);
  expect(Object.values(cuts)).toEqual(new Array(7).fill(10));
  expect(failures).toBe(7 * 5);
  expect(outcomes.before).toBeGreaterThan(10);
  expect(outcomes.after).toBeGreaterThan(10);
});
