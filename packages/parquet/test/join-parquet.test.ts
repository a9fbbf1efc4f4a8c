import type { ColumnBatch } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { collectRows } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { openParquet } from "../src/index.js";
import { readFooter } from "../src/read/parquet-footer.js";
import { exportParquet, joinParquet } from "../src/write.js";

const columns = [
  { name: "n", type: "INT32", nullable: true, array: false },
  { name: "s", type: "STRING", nullable: false, array: false },
] as const;

async function parquetOf(numbers: readonly (number | null)[], strings: readonly Uint8Array[]) {
  const batches: ColumnBatch[] = [batchFromValues(columns[0], numbers), batchFromValues(columns[1], strings)];
  async function* rows() {
    if (numbers.length > 0) {
      yield { length: numbers.length, firstRow: 0, columns: batches, names: ["n", "s"] };
    }
  }
  const sink = memorySink();
  await exportParquet(sink, { columns, rows: rows() }, { bloomFilters: ["n", "s"] });
  return memorySource(sink.bytes(), "part");
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("joined Parquet files", () => {
  it("contain the rows of all sources, in order", async () => {
    const parts = [
      await parquetOf([1, null, 3], ["a", "b", "a"].map(bytes)),
      await parquetOf([], []),
      await parquetOf([4], ["c"].map(bytes)),
    ];
    const sink = memorySink();
    const written = await joinParquet(sink, parts);
    expect(written).toMatchObject({ rows: 4, rowGroups: 2, bytes: sink.bytes().length });
    expect((await openParquet(memorySource(sink.bytes(), "whole")).then((file) => file.verify())).ok).toBe(
      true,
    );
    const file = await openParquet(memorySource(sink.bytes(), "whole"));
    expect(await collectRows(file.scan())).toEqual([
      [1, "a"],
      [null, "b"],
      [3, "a"],
      [4, "c"],
    ]);
    // Page indexes and Bloom filters of the later sources are also found.
    expect(await collectRows(file.scan({ where: { column: "n", op: "=", value: 4 } }))).toEqual([[4, "c"]]);
    expect(file.columns.map(({ type }) => type)).toEqual(["INT32", "STRING"]);
    await file.close();
  });

  it("get only what the target does not have yet", async () => {
    const parts = [
      await parquetOf([1, null], ["a", "b"].map(bytes)),
      await parquetOf([], []),
      await parquetOf([4], ["c"].map(bytes)),
    ];
    const whole = memorySink();
    await joinParquet(whole, parts);
    const { start } = await readFooter(memorySource(whole.bytes(), "whole"));
    for (let written = 4; written <= start; written++) {
      const sink = memorySink();
      await sink.write(whole.bytes().subarray(0, written));
      await joinParquet(sink, parts, { written });
      expect(sink.bytes()).toEqual(whole.bytes());
    }
  });

  it("are written while later sources are still unknown, and not at all if one fails", async () => {
    const sink = memorySink();
    async function* sources() {
      yield await parquetOf([1], [bytes("a")]);
      throw new Error("no more parts");
    }
    await expect(joinParquet(sink, sources())).rejects.toThrow("no more parts");
    expect(() => sink.bytes()).toThrow();
  });

  it("have a binary column if one source has", async () => {
    const sink = memorySink();
    await joinParquet(sink, [
      await parquetOf([1], [bytes("a")]),
      await parquetOf([2], [Uint8Array.of(0xff)]),
    ]);
    const file = await openParquet(memorySource(sink.bytes(), "whole"));
    for await (const { columns: batches } of file.scan()) {
      expect(batches[1]?.toArray({ strings: "bytes" })[0]).toBeInstanceOf(Uint8Array);
    }
    await file.close();
  });

  it("throw if the columns of the sources differ", async () => {
    const other = memorySink();
    await exportParquet(other, { columns: [columns[1]], rows: (async function* () {})() });
    const parts = [await parquetOf([1], [bytes("a")]), memorySource(other.bytes(), "other")];
    await expect(joinParquet(memorySink(), parts)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    await expect(joinParquet(memorySink(), [memorySource(bytes("nothing"), "x")])).rejects.toMatchObject({
      name: "CFileError",
    });
  });
});
