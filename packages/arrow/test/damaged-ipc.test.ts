/** Damaged Arrow IPC must give a typed error or every row, with little memory and time. */
import { Worker } from "node:worker_threads";
import { isCFileError } from "@cfile/bytes";
import { batchFromValues, type TableBatch } from "@cfile/encodings/batches";
import { readGolden } from "@cfile-tools/testkit";
import { describe, expect, it, vi } from "vitest";
import { type ApacheArrow, apacheArrow, type IpcOptions } from "../src/apache.js";
import type { ArrowColumn } from "../src/index.js";

interface Outcome {
  readonly refused: number;
  readonly read: number;
  readonly wrong: readonly string[];
}

const ROWS = 5;
const allColumns: readonly ArrowColumn[] = [
  { name: "text", type: "STRING", nullable: true, array: false },
  { name: "id", type: "INT64", nullable: false, array: false },
  { name: "amount", type: "DECIMAL64", nullable: true, array: false, precision: 12, scale: 2 },
  { name: "list", type: "INT16", nullable: true, array: true },
];
const cells = [
  ["a", null, "ccc"],
  [1n, 2n, 3n],
  [100n, 200n, null],
  [[1, null], null, []],
];

async function ipcOf({
  columns: count = 4,
  batches: lengths = [3, 2],
  ...options
}: IpcOptions & { columns?: number; batches?: readonly number[] }): Promise<Uint8Array> {
  const columns = allColumns.slice(0, count);
  async function* rows(): AsyncGenerator<TableBatch> {
    for (const length of lengths) {
      const batches = columns.map((column, i) => batchFromValues(column, cells[i]?.slice(0, length) ?? []));
      yield { length, firstRow: 0, names: columns.map(({ name }) => name), columns: batches };
    }
  }
  const pieces: Uint8Array[] = [];
  const apache = await apacheArrow();
  for await (const piece of apache.ipc({ columns, rows: rows() }, options)) {
    pieces.push(piece.slice());
  }
  return Buffer.concat(pieces);
}

/** The total number of rows, or the code of the error. */
async function readRows(apache: ApacheArrow, input: Uint8Array | AsyncIterable<Uint8Array>) {
  try {
    let count = 0;
    for await (const { length } of (await apache.readIpc(input)).rows) {
      count += length;
    }
    return count;
  } catch (error) {
    return isCFileError(error) ? error.code : error;
  }
}

/** The outcome of reading with each byte changed by each of `changes`, in a thread with a heap of 64 MB. */
function readChanged(ipc: Uint8Array, changes: readonly number[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("damaged-ipc-worker.mjs", import.meta.url), {
      workerData: { ipc, changes, rowCount: ROWS },
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    });
    worker.on("message", resolve);
    worker.on("error", reject);
  });
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.slice(at, at + size);
  }
}

vi.setConfig({ testTimeout: 120_000 });

/** Every bit, all bits, and changes that turn small offsets and lengths into similar ones. */
const CHANGES = [1, 2, 4, 8, 16, 32, 64, 128, 255, 3, 12, 24, 48, 192];
const everyChange = Array.from({ length: 255 }, (_, i) => i + 1);

describe("Arrow IPC with one changed byte throws a CFileError or returns all rows", () => {
  it.each([
    ["a stream", { format: "stream" }, CHANGES],
    ["a stream with dictionaries", { format: "stream", dictionaries: "keep" }, CHANGES],
    ["a file", { format: "file" }, CHANGES],
    ["a file of one column, every change", { format: "file", columns: 1 }, everyChange],
    ["a stream of one column, every change", { format: "stream", columns: 1 }, everyChange],
  ] as const)("%s", async (_, options, changes) => {
    const ipc = await ipcOf(options);
    const { refused, read, wrong } = await readChanged(ipc, changes);
    expect(wrong).toEqual([]);
    expect(refused + read).toBe(changes.length * ipc.length);
    expect(refused).toBeGreaterThan(read);
  });
});

describe("Arrow IPC that arrives in chunks", () => {
  it.each(["stream", "file"] as const)(
    "of any size gives the same result as a single buffer: %s",
    async (format) => {
      const ipc = await ipcOf({ format });
      const apache = await apacheArrow();
      for (const size of [1, 7, 64, 1000]) {
        for (let length = 0; length <= ipc.length; length += 40) {
          const whole = readRows(apache, ipc.slice(0, length));
          const pieces = readRows(apache, inPieces(ipc.slice(0, length), size));
          expect(await pieces, `${length} bytes in pieces of ${size}`).toBe(await whole);
        }
      }
    },
  );

  it("closes its source when it is damaged", async () => {
    const ipc = await ipcOf({ format: "stream" });
    const apache = await apacheArrow();
    let isClosed = false;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        yield* inPieces(
          ipc.map((byte, i) => (i === 40 ? ~byte : byte)),
          16,
        );
      } finally {
        isClosed = true;
      }
    }
    expect(await readRows(apache, pieces())).toBe("E_CORRUPT");
    expect(isClosed).toBe(true);
  });
});

describe("reads Arrow IPC from other writers", () => {
  const a = [1n, null, 3n];
  const s = ["x", null, "zz"];
  const l = [[1, 2], null, []];
  const b = [true, false, null];
  it.each([
    ["pyarrow-stream", [a, s, ["p", "q", "p"], l, b]],
    ["pyarrow-file", [a, s, ["p", "q", "p"], l, b]],
    ["pyarrow-legacy-stream", [a, s, l]],
    ["polars-file", [a, [1.5, 2.5, null], [true, null, false]]],
  ])("%s", async (name, expected) => {
    const ipc = readGolden(`arrow/${name}.arrow`);
    const apache = await apacheArrow();
    for (const input of [ipc, inPieces(ipc, 100)]) {
      const { rows } = await apache.readIpc(input);
      for await (const { columns: batches } of rows) {
        expect(batches.map((batch) => batch.toArray())).toEqual(expected);
      }
    }
  });
});

it("numbers the rows of consecutive IPC batches", async () => {
  const apache = await apacheArrow();
  const { rows } = await apache.readIpc(await ipcOf({ format: "stream", batches: [3, 2, 1] }));
  const firstRows: number[][] = [];
  for await (const { firstRow, columns: batches } of rows) {
    firstRows.push([firstRow, ...batches.map((batch) => batch.firstRow)]);
  }
  expect(firstRows).toEqual([0, 3, 5].map((row) => [row, row, row, row, row]));
});
