/** Recovered files that are written while the old file is walked: they have the same bytes, and each byte is read once. */
import { readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CFileError } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { type ByteSink, type ByteSource, memorySink } from "@cfile/io";
import { fileSink, fileSource } from "@cfile/io/file";
import { randomNumbers, temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, expect, test } from "vitest";
import { rebuildParquet } from "../src/recover.js";
import { MAGIC } from "../src/write/parquet-output.js";
import { exportParquet } from "../src/write.js";
import { partsOf } from "./rebuilt-rows.js";

const ROWS = 2 ** 20;
const BATCH = 2 ** 16;
const MIB = 2 ** 20;

const folder = temporaryFolder();
const LIKE = join(folder, "like.parquet");
let whole = new Uint8Array(0);
/** Offset of the end of the last page. */
let pagesEnd = 0;
let pageStarts: number[] = [];

beforeAll(async () => {
  const columns = [
    { name: "id", type: "INT64", nullable: false, array: false },
    { name: "number", type: "DOUBLE", nullable: true, array: false },
  ] as const;
  const next = randomNumbers(5);
  async function* rows() {
    for (let firstRow = 0; firstRow < ROWS; firstRow += BATCH) {
      const ids = BigInt64Array.from({ length: BATCH }, (_, i) => BigInt(firstRow + i) * 1_000_003n);
      const numbers = Array.from({ length: BATCH }, (_, i) => (i % 9 === 0 ? null : next(1e9) / 3));
      yield {
        length: BATCH,
        firstRow,
        names: columns.map(({ name }) => name),
        columns: [batchFromValues(columns[0], ids), batchFromValues(columns[1], numbers)],
      };
    }
  }
  const options = { rowGroupRows: ROWS / 4, pageRows: 20_000, codec: "UNCOMPRESSED" } as const;
  await exportParquet(LIKE, { columns, rows: rows() }, options);
  whole = new Uint8Array(await readFile(LIKE));
  const pages = (await partsOf(whole)).filter(({ kind }) => kind === "page");
  pageStarts = pages.map(({ offset }) => offset);
  pagesEnd = Math.max(...pages.map(({ offset, size }) => offset + size));
});

async function saved(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

/** The output to a sink that cannot discard bytes: the file is first walked, then written. */
async function writtenAfterwards(
  path: string,
): Promise<{ readonly bytes: Uint8Array; readonly rows: number }> {
  const { truncate: _, ...sink } = memorySink();
  const { rows } = await rebuildParquet(path, sink, { like: LIKE });
  return { bytes: sink.bytes(), rows };
}

/** Counts the bytes that are read. */
function counting(source: ByteSource): ByteSource & { bytesRead: number } {
  const counted = {
    ...source,
    bytesRead: 0,
    read: async (...given: Parameters<ByteSource["read"]>) => {
      const bytes = await source.read(...given);
      counted.bytesRead += bytes.length;
      return bytes;
    },
  };
  return counted;
}

/** A slow sink, which reveals memory that is reused too early. */
function slow(sink: ByteSink): ByteSink & { bytesWritten: number } {
  const slowed = {
    ...sink,
    bytesWritten: 0,
    write: async (bytes: Uint8Array, owned?: boolean) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      slowed.bytesWritten += bytes.length;
      await sink.write(bytes, owned);
    },
  };
  return slowed;
}

test("equal those that are written afterwards, wherever the file is damaged", async () => {
  const middle = pageStarts[Math.floor(pageStarts.length / 2)] ?? 0;
  const without = (from: number, to: number): Uint8Array =>
    Buffer.concat([whole.subarray(0, from), whole.subarray(to)]);
  const zeroed = (from: number, to: number): Uint8Array => whole.slice().fill(0, from, to);
  const files: readonly (readonly [string, Uint8Array, number])[] = [
    ["footer gone", whole.subarray(0, pagesEnd), ROWS],
    ["last bytes gone", whole.subarray(0, -8), ROWS],
    ["cut inside a page", whole.subarray(0, pagesEnd - 100_001), ROWS - 25_000],
    ["cut in the middle", whole.subarray(0, middle + 11), 1],
    ["start gone", zeroed(0, 4096), 1],
    ["a hole of a page", zeroed(middle, middle + 30_000), 1],
    ["bytes missing in the middle", without(middle, middle + 50_001), 1],
  ];
  for (const [name, bytes, least] of files) {
    const path = await saved(name, bytes);
    const target = join(folder, `${name}.out`);
    const source = await fileSource(path);
    const { rows } = await rebuildParquet(source, slow(await fileSink(target)), { like: LIKE });
    await source.close?.();
    const expected = await writtenAfterwards(path);
    expect(rows, name).toBe(expected.rows);
    expect(rows, name).toBeGreaterThanOrEqual(least);
    expect(Buffer.compare(await readFile(target), expected.bytes), name).toBe(0);
  }
});

test("take one pass over the file, if all of its pages keep their offsets", async () => {
  const path = await saved("once", whole.subarray(0, pagesEnd));
  const bytesRead = async (sink: ByteSink): Promise<number> => {
    const source = counting(await fileSource(path));
    await rebuildParquet(source, sink, { like: LIKE });
    await source.close?.();
    return source.bytesRead;
  };
  const sink = slow(memorySink());
  const early = await bytesRead(sink);
  expect(sink.bytesWritten).toBeLessThan(pagesEnd + 10_000);
  const { truncate: _, ...afterwards } = memorySink();
  expect((await bytesRead(afterwards)) - early).toBe(pagesEnd - MAGIC.length);
});

test("do not grow with the zeros at the end of a file", async () => {
  const path = await saved("zeros", whole.subarray(0, pagesEnd));
  await truncate(path, pagesEnd + 200 * MIB);
  const sink = slow(memorySink());
  const { rows } = await rebuildParquet(path, sink, { like: LIKE });
  expect(rows).toBe(ROWS);
  expect(sink.bytesWritten).toBeLessThan(pagesEnd + 40 * MIB);
});

test("are removed when the target fails, and when the file cannot be read on", async () => {
  const path = await saved("failing", whole.subarray(0, pagesEnd));
  const target = join(await saved("target", new Uint8Array(0)), "..", "failed.parquet");
  const before = await readdir(folder);
  const full = new CFileError("E_IO", "cannot write the file: disk full", { path: target });
  for (const [failsAt, isTarget] of [
    [0, true],
    [6 * MIB, true],
    [6 * MIB, false],
  ] as const) {
    const source = await fileSource(path);
    const sink = await fileSink(target);
    const failing = async (from: number, isIt: boolean): Promise<void> => {
      if (isIt && from >= failsAt) {
        throw full;
      }
    };
    let written = 0;
    const rebuilt = rebuildParquet(
      {
        ...source,
        read: async (offset, length, options) => {
          await failing(offset, !isTarget && offset < pagesEnd - MIB);
          return source.read(offset, length, options);
        },
      },
      {
        ...sink,
        write: async (bytes) => {
          await failing(written, isTarget);
          written += bytes.length;
          await sink.write(bytes);
        },
      },
      { like: LIKE },
    );
    await expect(rebuilt).rejects.toMatchObject({ code: "E_IO", reason: "cannot write the file: disk full" });
    await source.close?.();
    expect(await readdir(folder)).toEqual(before);
  }
  await expect(stat(target)).rejects.toMatchObject({ code: "ENOENT" });
});
