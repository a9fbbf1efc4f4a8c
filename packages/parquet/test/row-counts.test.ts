/** Columns whose pages have a different number of rows than their row group states. */
import { describe, expect, it } from "vitest";
import { openParquet } from "../src/index.js";
import { recoverParquet } from "../src/recover.js";
import { type CraftedPage, craftedFile } from "./crafted-file.js";

const schema = [
  { name: "root", num_children: 2 },
  { name: "n", type: "INT32", repetition_type: "REQUIRED" },
  { name: "list", type: "INT32", repetition_type: "REPEATED" },
] as const;
const flat = (values: readonly number[]): CraftedPage => ({ values });
const lists = (values: readonly number[]): CraftedPage => ({
  values: values.flatMap((value) => [value, value]),
  definitions: values.flatMap(() => [1, 1]),
  repetitions: values.flatMap(() => [0, 1]),
});
const WHOLE = [1, 2, 3, 4, 5, 6];

describe.each([
  ["more rows", [1, 2, 3, 4, 5, 6, 7], { from: 0, to: 6 }],
  ["fewer rows", [1, 2, 3, 4], { from: 4, to: 6 }],
] as const)("a column with %s than its row group", (_, values, rows) => {
  it.each(["n", "list"])("is a loss, and is refused by a scan: %s", async (name) => {
    const bytes = craftedFile(schema, WHOLE.length, [
      { path: "n", pages: [flat(name === "n" ? values : WHOLE)] },
      { path: "list", pages: [lists(name === "list" ? values : WHOLE)] },
    ]);
    await using file = await openParquet(bytes);
    const report = await file.verify();
    expect([report.ok, report.losses]).toMatchObject([
      false,
      [{ column: name, rowGroup: 0, rows, error: { code: "E_CORRUPT", field: "num_rows" } }],
    ]);
    await using recovered = await recoverParquet(bytes);
    expect([recovered.lostRows, recovered.report.losses]).toEqual([[rows], report.losses]);
    await expect(async () => {
      for await (const _batch of file.scan()) {
        // All rows are read.
      }
    }).rejects.toMatchObject({ code: "E_CORRUPT" });
  });
});
