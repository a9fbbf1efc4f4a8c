import { expect, test } from "vitest";
import { cutTableStores } from "../src/disk/cut-table-stores.js";

test("power cuts at random operations of every kind of change leave the rows before or after it", async () => {
  const { cuts, outcomes, faults } = await cutTableStores(1, 20);
  expect(faults).toEqual([]);
  expect(Object.values(cuts)).toEqual(new Array(7).fill(20));
  expect(outcomes.before).toBeGreaterThan(10);
  expect(outcomes.after).toBeGreaterThan(10);
});
