import { batchFromValues } from "@cfile/encodings/batches";
import { type ByteSink, memorySink, memorySource } from "@cfile/io";
import { collectRows } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { openParquet } from "../src/index.js";
import { exportParquet, joinParquet } from "../src/write.js";

const column = { name: "n", type: "INT64", nullable: true, array: false } as const;
const ROWS = 400_000;
const PAGE_ROWS = 1000;

async function* rows() {
  for (let from = 0; from < ROWS; from += 50_000) {
    const values = Array.from({ length: 50_000 }, (_, i) => BigInt(from + i) * 0x9e3779b97f4a7c15n);
    const batch = batchFromValues(
      column,
      values.map((value) => BigInt.asIntN(64, value)),
    );
    yield { length: 50_000, firstRow: from, columns: [batch], names: ["n"] };
  }
}

const table = () => ({ columns: [column], rows: rows() });
const settings = { codec: "UNCOMPRESSED", pageRows: PAGE_ROWS } as const;

/** A slow sink, which reveals memory that is reused too early. */
function slowSink(): { readonly sink: ByteSink; readonly writes: number[]; bytes(): Uint8Array } {
  const memory = memorySink();
  const writes: number[] = [];
  const sink: ByteSink = {
    name: memory.name,
    close: () => memory.close(),
    abort: (reason) => memory.abort(reason),
    write: async (bytes, owned) => {
      writes.push(bytes.length);
      await new Promise((resolve) => setTimeout(resolve, 2));
      await memory.write(bytes, owned);
    },
  };
  return { sink, writes, bytes: () => memory.bytes() };
}

describe("written pages", () => {
  it("reach the sink in few large pieces, unchanged, and so do joined files", async () => {
    const whole = memorySink();
    await exportParquet(whole, table(), settings);
    const slow = slowSink();
    await exportParquet(slow.sink, table(), settings);
    expect(slow.bytes()).toEqual(whole.bytes());
    expect(slow.writes.length).toBeLessThan(8);
    const joined = slowSink();
    const sources = [0, 1].map(() => memorySource(whole.bytes(), "part"));
    expect(await joinParquet(joined.sink, sources)).toMatchObject({ rows: 2 * ROWS });
    expect(joined.writes.length).toBeLessThan(16);
    const file = await openParquet(memorySource(joined.bytes(), "joined"));
    const last = BigInt.asIntN(64, BigInt(ROWS - 1) * 0x9e3779b97f4a7c15n);
    expect(await collectRows(file.scan({ where: { column: "n", op: "=", value: last } }))).toEqual([
      [last],
      [last],
    ]);
    expect((await file.verify()).ok).toBe(true);
  });

  it("end with the error of the sink", async () => {
    const { sink } = slowSink();
    let aborted: unknown;
    const failing: ByteSink = {
      ...sink,
      write: () => Promise.reject(new Error("disk full")),
      abort: async (reason) => {
        aborted = reason;
      },
    };
    await expect(exportParquet(failing, table(), settings)).rejects.toThrow("disk full");
    expect(String(aborted)).toContain("disk full");
  });
});
