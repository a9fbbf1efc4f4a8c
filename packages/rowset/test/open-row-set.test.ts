import { describe, expect, it } from "vitest";
import { openRowSet, RowSetReader, type RowSetSchema } from "../src/index.js";
import { column, filesOf, writeBase } from "./synthetic.js";

const schema: RowSetSchema = {
  columns: [column(1, "k", { isKey: true, type: "INT32" }), column(2, "n", { nullable: true })],
};

describe("openRowSet", () => {
  it("opens one row set from files given by role", async () => {
    const base = await writeBase(schema, [
      [1, 10],
      [2, null],
      [5, 50],
    ]);
    const reader = await openRowSet(filesOf(base, [], []), schema, { cacheBytes: 1 << 20 });
    expect(reader).toBeInstanceOf(RowSetReader);
    expect((await reader.get([5]))?.cells).toEqual([5, 50]);
    expect(await reader.get([3])).toBeUndefined();
  });
});
