import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test, vi } from "vitest";
import { openParquet } from "../src/index.js";
import { loadBrotliPages, loadPageExpander } from "../src/pages/page-codec.js";
import { withDuckDB } from "./duckdb-rows.js";

const plain = Uint8Array.from({ length: 5000 }, (_, i) => (i * i) >>> 5);
const stored = Uint8Array.from(brotliCompressSync(plain));
const bomb = Uint8Array.from(
  brotliCompressSync(new Uint8Array(1 << 28), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
);
const decoders = [
  ["node:zlib", await loadBrotliPages()],
  ["our decoder, elsewhere", await withoutNode(() => loadBrotliPages())],
] as const;

async function withoutNode<T>(action: () => Promise<T>): Promise<T> {
  const builtin = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
  try {
    return await action();
  } finally {
    builtin.mockRestore();
  }
}

describe.each(decoders)("Brotli pages, expanded by %s,", (_, decode) => {
  const expander = loadPageExpander("BROTLI", { BROTLI: decode });

  test("are the bytes that were compressed", async () => {
    expect((await expander)(stored, plain.length)).toEqual(plain);
  });

  test.each([0, 1, 4999, 5001, 100_000])("are refused if the header states %i bytes", async (size) => {
    const expand = await expander;
    expect(() => expand(stored, size)).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
  });

  test("are refused if they are cut, other bytes, or followed by some", async () => {
    const expand = await expander;
    const followed = Uint8Array.from([...stored, 0]);
    for (const bytes of [stored.subarray(0, stored.length >> 1), stored.subarray(0, 0), plain, followed]) {
      expect(() => expand(bytes, plain.length)).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
    }
  });
});

test("our decoder reads the pages of a file of DuckDB", async () => {
  const path = join(temporaryFolder(), "brotli.parquet");
  const select = "SELECT i::INT AS id, 'text ' || (i % 100) AS word FROM range(5000) t(i)";
  await withDuckDB((connection) =>
    connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, COMPRESSION brotli)`),
  );
  await withoutNode(async () => {
    await using file = await openParquet(new Uint8Array(await readFile(path)));
    expect(file.metadata.row_groups[0]?.columns[0]?.meta_data?.codec).toBe("BROTLI");
    const rows: unknown[] = [];
    for await (const { columns } of file.scan()) {
      const [ids, words] = columns.map((column) => column.toArray());
      rows.push(...(ids ?? []).map((id, i) => [id, words?.[i]]));
    }
    expect(rows).toEqual(Array.from({ length: 5000 }, (_, i) => [i, `text ${i % 100}`]));
    expect(process.getBuiltinModule).toHaveBeenCalledWith("node:zlib");
  });
});

test.each(decoders)("%s stops at the stated size", async (_, decode) => {
  const expand = await loadPageExpander("BROTLI", { BROTLI: decode });
  const before = process.memoryUsage().arrayBuffers;
  expect(() => expand(bomb, 100)).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 24);
});
