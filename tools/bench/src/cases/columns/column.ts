/** Reads and writes one column: 5 million int32 of a random walk, 1 million strings out of 1000. */
import {
  batchFromValues,
  type ColumnBatch,
  createCFile,
  type KernelChoice,
  memorySink,
  openCFile,
  type WriterOptions,
} from "cfile";
import { atLeast, type BenchCase } from "../../bench-case.js";
import { checksumOfIntegers, checksumOfStrings, dictionaryStrings, randomWalk } from "../../data/data.js";
import { contender, measure } from "../../measure.js";
import {
  readObjectsWithHyparquet,
  readWithHyparquet,
  readWithParquetWasm,
  writeWithHyparquet,
  writeWithParquetWasm,
} from "../../peers.js";
import { goalOf, type LikeWithLike, namesOf, tabulate } from "./like-with-like.js";

/** hyparquet-writer makes columns nullable by default, which hyparquet reads far more slowly. */
const HYPARQUET_DEFAULT = "hyparquet (snappy, nullable: its writer's default)";

const READ_INTEGERS: readonly LikeWithLike[] = [
  [
    "hyparquet (snappy)",
    HYPARQUET_DEFAULT,
    "hyparquet (snappy, row objects)",
    "parquet-wasm (snappy, to Arrow)",
    "cfile, portable (bitshuffle)",
    "cfile (bitshuffle)",
  ],
  [
    "hyparquet (uncompressed)",
    "parquet-wasm (uncompressed, to Arrow)",
    "cfile, portable (plain)",
    "cfile (plain)",
  ],
];
const WRITE_INTEGERS: readonly LikeWithLike[] = [
  [
    "hyparquet-writer (snappy)",
    "parquet-wasm (snappy, from Arrow)",
    "cfile, portable (bitshuffle)",
    "cfile (bitshuffle)",
  ],
  ["hyparquet-writer (uncompressed)", "parquet-wasm (uncompressed, from Arrow)", "cfile (plain)"],
];

const INTEGERS = 5_000_000;
const STRINGS = 1_000_000;
const GOAL_READ_INTEGERS = 5;
/** hyparquet returns a view of an uncompressed page and verifies nothing; cfile verifies every checksum. */
const GOAL_READ_PLAIN = 1;
const GOAL_READ_STRINGS = 3;
const GOAL_WRITE = 5;

async function writeColumn(
  options: WriterOptions,
  rows: Int32Array | string[] | ColumnBatch,
): Promise<Uint8Array> {
  const sink = memorySink();
  const file = await createCFile(sink, options);
  await file.append(rows);
  await file.finish();
  return sink.bytes();
}

async function readColumn(bytes: Uint8Array, kernels: KernelChoice = "auto"): Promise<ColumnBatch[]> {
  const file = await openCFile(bytes, { kernels });
  const batches: ColumnBatch[] = [];
  for await (const batch of file.scan()) {
    batches.push(batch);
  }
  return batches;
}

const batchIntegers = (batches: readonly ColumnBatch[]): number =>
  batches.reduce(
    (sum, batch) => (batch.kind === "fixed" ? checksumOfIntegers(batch.values as Int32Array, sum) : 0),
    0,
  );
const vectorIntegers = (vector: ReturnType<typeof readWithParquetWasm>): number =>
  checksumOfIntegers((vector?.toArray() ?? []) as ArrayLike<number>);
const batchStrings = (batches: readonly ColumnBatch[]): number =>
  batches.reduce((sum, batch) => checksumOfStrings(batch.toArray() as string[], sum), 0);

export const readIntegers: BenchCase = {
  name: "read-int32",
  title: "Read a column of 5 million int32 (random walk) from memory",
  async run(scale) {
    const data = randomWalk(INTEGERS * scale);
    const bitshuffle = await writeColumn({ type: "INT32" }, data);
    const plain = await writeColumn({ type: "INT32", encoding: "PLAIN_ENCODING" }, data);
    const snappy = writeWithHyparquet(data, "INT32", "SNAPPY");
    const uncompressed = writeWithHyparquet(data, "INT32", "UNCOMPRESSED");
    const nullable = writeWithHyparquet(data, "INT32", "SNAPPY", true);
    const wasmSnappy = writeWithParquetWasm(data, "SNAPPY");
    const wasmPlain = writeWithParquetWasm(data, "UNCOMPRESSED");
    const timings = await measure(
      [
        contender(
          "hyparquet (snappy)",
          () => readWithHyparquet(snappy),
          (chunks) => chunks.reduce((sum, chunk) => checksumOfIntegers(chunk as ArrayLike<number>, sum), 0),
        ),
        contender(
          "hyparquet (uncompressed)",
          () => readWithHyparquet(uncompressed),
          (chunks) => chunks.reduce((sum, chunk) => checksumOfIntegers(chunk as ArrayLike<number>, sum), 0),
        ),
        contender(
          HYPARQUET_DEFAULT,
          () => readWithHyparquet(nullable),
          (chunks) => chunks.reduce((sum, chunk) => checksumOfIntegers(chunk as ArrayLike<number>, sum), 0),
        ),
        contender(
          "hyparquet (snappy, row objects)",
          () => readObjectsWithHyparquet(snappy),
          (rows) => checksumOfIntegers(rows.map(({ c }) => c as number)),
        ),
        contender("parquet-wasm (snappy, to Arrow)", () => readWithParquetWasm(wasmSnappy), vectorIntegers),
        contender(
          "parquet-wasm (uncompressed, to Arrow)",
          () => readWithParquetWasm(wasmPlain),
          vectorIntegers,
        ),
        contender("cfile, portable (bitshuffle)", () => readColumn(bitshuffle, "portable"), batchIntegers),
        contender("cfile, portable (plain)", () => readColumn(plain, "portable"), batchIntegers),
        contender("cfile (bitshuffle)", () => readColumn(bitshuffle), batchIntegers),
        contender("cfile (plain)", () => readColumn(plain), batchIntegers),
      ],
      checksumOfIntegers(data),
      Math.min(1, scale),
    );
    return tabulate(timings, READ_INTEGERS, data.length, (ratio) => [
      goalOf(ratio, "cfile (plain)", "hyparquet (uncompressed)", GOAL_READ_PLAIN),
      goalOf(ratio, "cfile, portable (bitshuffle)", "hyparquet (snappy)", GOAL_READ_INTEGERS),
      goalOf(ratio, "cfile (bitshuffle)", "hyparquet (snappy)", GOAL_READ_INTEGERS),
      atLeast(
        "cfile, portable (bitshuffle) at hyparquet's rate with its writer's defaults, times",
        GOAL_READ_INTEGERS,
        ratio("cfile, portable (bitshuffle)") / ratio(HYPARQUET_DEFAULT),
      ),
    ]);
  },
};

/**
 * Results and writers to keep alive during all runs. Garbage collection is forced before each run: if no objects of a class were
 * left, the engine would discard its compiled code.
 */
const kept: unknown[] = [];

/** Rows of a writer that stays open: several blocks. */
const KEPT_ROWS = 200_000;

async function keepWriters(options: WriterOptions, rows: Int32Array | string[]): Promise<void> {
  for (const kernels of ["portable", "auto"] as const) {
    const file = await createCFile(memorySink(), { ...options, kernels });
    await file.append(rows.slice(0, KEPT_ROWS));
    kept.push(file);
  }
}

export const readStrings: BenchCase = {
  name: "read-strings",
  title: "Read a column of 1 million strings (1000 words) from memory",
  async run(scale) {
    const data = dictionaryStrings(STRINGS * scale);
    const bytes = await writeColumn({ type: "STRING" }, data);
    const snappy = writeWithHyparquet(data, "STRING", "SNAPPY");
    const wasm = writeWithParquetWasm(data, "SNAPPY");
    const [batch] = await readColumn(bytes);
    kept.push(batch, batch?.toArray(), await readWithHyparquet(snappy));
    const timings = await measure(
      [
        contender(
          "hyparquet (snappy)",
          () => readWithHyparquet(snappy),
          (chunks) => chunks.reduce((sum, chunk) => checksumOfStrings(chunk as ArrayLike<string>, sum), 0),
        ),
        contender(
          "hyparquet (snappy, row objects)",
          () => readObjectsWithHyparquet(snappy),
          (rows) => checksumOfStrings(rows.map(({ c }) => c as string)),
        ),
        contender(
          "parquet-wasm (snappy, to Arrow)",
          () => readWithParquetWasm(wasm),
          (vector) => checksumOfStrings([...(vector ?? [])] as string[]),
        ),
        contender(
          "cfile, portable (dictionary, as batches)",
          () => readColumn(bytes, "portable"),
          batchStrings,
        ),
        contender("cfile (dictionary, as batches)", () => readColumn(bytes), batchStrings),
        contender(
          "cfile (dictionary, to JavaScript strings)",
          async () => (await readColumn(bytes)).map((batch) => batch.toArray() as string[]),
          (parts) => parts.reduce((sum, part) => checksumOfStrings(part, sum), 0),
        ),
      ],
      checksumOfStrings(data),
      Math.min(1, scale),
    );
    kept.length = 0;
    return tabulate(timings, [namesOf(timings)], data.length, (ratio) => [
      goalOf(ratio, "cfile, portable (dictionary, as batches)", "hyparquet", GOAL_READ_STRINGS),
      goalOf(ratio, "cfile (dictionary, as batches)", "hyparquet", GOAL_READ_STRINGS),
      goalOf(ratio, "cfile (dictionary, to JavaScript strings)", "hyparquet", GOAL_READ_STRINGS),
    ]);
  },
};

export const writeIntegers: BenchCase = {
  name: "write-int32",
  title: "Write a column of 5 million int32 (random walk) to memory",
  async run(scale) {
    const data = randomWalk(INTEGERS * scale);
    const expected = checksumOfIntegers(data);
    const written = (bytes: Uint8Array | ArrayBuffer): boolean => bytes.byteLength > data.length / 8;
    await checkWritten(data, expected);
    await keepWriters({ type: "INT32" }, data);
    const timings = await measure(
      [
        contender("hyparquet-writer (snappy)", () => writeWithHyparquet(data, "INT32", "SNAPPY"), written),
        contender(
          "hyparquet-writer (uncompressed)",
          () => writeWithHyparquet(data, "INT32", "UNCOMPRESSED"),
          written,
        ),
        contender("parquet-wasm (snappy, from Arrow)", () => writeWithParquetWasm(data, "SNAPPY"), written),
        contender(
          "parquet-wasm (uncompressed, from Arrow)",
          () => writeWithParquetWasm(data, "UNCOMPRESSED"),
          written,
        ),
        contender(
          "cfile, portable (bitshuffle)",
          () => writeColumn({ type: "INT32", kernels: "portable" }, data),
          written,
        ),
        contender("cfile (bitshuffle)", () => writeColumn({ type: "INT32" }, data), written),
        contender(
          "cfile (plain)",
          () => writeColumn({ type: "INT32", encoding: "PLAIN_ENCODING" }, data),
          written,
        ),
      ],
      true,
      Math.min(1, scale),
    );
    kept.length = 0;
    return tabulate(timings, WRITE_INTEGERS, data.length, (ratio) => [
      goalOf(ratio, "cfile, portable (bitshuffle)", "hyparquet-writer (snappy)", GOAL_WRITE),
      goalOf(ratio, "cfile (bitshuffle)", "hyparquet-writer (snappy)", GOAL_WRITE),
    ]);
  },
};

async function checkWritten(data: Int32Array, expected: number): Promise<void> {
  const back = batchIntegers(await readColumn(await writeColumn({ type: "INT32" }, data)));
  const peer = await readWithHyparquet(writeWithHyparquet(data, "INT32", "SNAPPY"));
  const theirs = peer.reduce((sum, chunk) => checksumOfIntegers(chunk as ArrayLike<number>, sum), 0);
  if (back !== expected || theirs !== expected) {
    throw new Error(`values read differ from values written: ${back}, ${theirs}, expected ${expected}`);
  }
}

export const writeStrings: BenchCase = {
  name: "write-strings",
  title: "Write a column of 1 million strings (1000 words) to memory",
  async run(scale) {
    const data = dictionaryStrings(STRINGS * scale);
    const expected = checksumOfStrings(data);
    const column = { type: "STRING", nullable: false, array: false } as const;
    const arrow = batchFromValues(column, data);
    for (const rows of [data, arrow]) {
      const back = batchStrings(await readColumn(await writeColumn({ type: "STRING" }, rows)));
      if (back !== expected) {
        throw new Error(`values read differ from values written: ${back}, expected ${expected}`);
      }
    }
    const written = (bytes: Uint8Array | ArrayBuffer): boolean => bytes.byteLength > data.length / 8;
    await keepWriters({ type: "STRING" }, data);
    const timings = await measure(
      [
        contender("hyparquet-writer (snappy)", () => writeWithHyparquet(data, "STRING", "SNAPPY"), written),
        contender("parquet-wasm (snappy, from Arrow)", () => writeWithParquetWasm(data, "SNAPPY"), written),
        contender(
          "cfile, portable (from JavaScript strings)",
          () => writeColumn({ type: "STRING", kernels: "portable" }, data),
          written,
        ),
        contender("cfile (from JavaScript strings)", () => writeColumn({ type: "STRING" }, data), written),
        contender("cfile (from a batch)", () => writeColumn({ type: "STRING" }, arrow), written),
      ],
      true,
      Math.min(1, scale),
    );
    kept.length = 0;
    return tabulate(timings, [namesOf(timings)], data.length, (ratio) => [
      goalOf(ratio, "cfile, portable (from JavaScript strings)", "hyparquet-writer", GOAL_WRITE),
      goalOf(ratio, "cfile (from JavaScript strings)", "hyparquet-writer", GOAL_WRITE),
    ]);
  },
};
