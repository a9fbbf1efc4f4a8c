/**
 * CFile to Parquet and back, compared with hyparquet-writer and hyparquet alone; and in bounded memory.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryArena } from "@cfile/bytes";
import { openParquet, tableOfFiles } from "@cfile/parquet";
import { exportParquet } from "@cfile/parquet/write";
import {
  type CellValue,
  type CFileReader,
  createCFile,
  memorySink,
  openCFile,
  type WriterOptions,
} from "cfile";
import { type DecodedArray, parquetRead } from "hyparquet";
import { type BasicType, parquetWriteBuffer } from "hyparquet-writer";
import { atLeast, atMost, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import {
  type BenchColumn,
  benchColumns,
  millionsIn,
  writerBatches,
  writerOptions,
} from "../../data/bench-columns.js";
import { contender, measure } from "../../measure.js";
import { effortAt, writeBatches } from "../columns/column-table.js";
import { type ChildReport, requireSame, runChild } from "../columns/memory.js";

const GOAL = 2;
const GOAL_MIB = 256;
const INPUT_BYTES = 2 ** 31;
const PEER = "hyparquet-writer and hyparquet";
const BASIC_TYPES: Readonly<Record<string, BasicType>> = {
  INT32: "INT32",
  INT64: "INT64",
  DOUBLE: "DOUBLE",
  BOOL: "BOOLEAN",
  STRING: "STRING",
};

const NOTES = [
  "one CFile to one Parquet file (Snappy) and back to a CFile that must be byte-identical to the first; the peer takes and returns numbers without nulls as typed arrays",
  "the 2 GiB are incompressible 64-bit integers, from file to file, in one process per direction",
];

export const parquet: BenchCase = {
  name: "parquet",
  title: "CFiles in memory to Parquet and back; a file of 2 GiB in a separate process",
  async run(scale) {
    const rows: BenchRow[] = [];
    const goals: BenchGoal[] = [];
    for (const column of benchColumns) {
      const timed = await timeColumn(column, scale);
      const ratio = timed[1].ratio ?? 0;
      rows.push(...timed);
      goals.push(atLeast(`${column.name} to Parquet and back, times ${PEER}`, GOAL, ratio));
    }
    const memory = await boundedMemory(scale);
    for (const [name, report] of Object.entries(memory)) {
      goals.push(atMost(`peak resident MiB, 2 GiB ${name}`, GOAL_MIB, report.maxRssMiB));
      rows.push({
        contender: `2 GiB ${name}: ${Math.round(report.maxRssMiB)} MiB resident`,
        milliseconds: report.milliseconds,
        rate: report.rows / report.milliseconds / 1000,
        ratio: undefined,
        unit: "M rows/s",
      });
    }
    return { unit: "MB/s", peer: PEER, rows, goals, notes: NOTES };
  },
};

async function timeColumn(column: BenchColumn, scale: number): Promise<[BenchRow, BenchRow]> {
  const batch = column.make(Math.max(1000, Math.floor((column.rows * scale) / 5)));
  const options = writerOptions(column);
  const bytes = await writeBatches(options, writerBatches(batch));
  const isSame = (written: Uint8Array): boolean => Buffer.compare(written, bytes) === 0;
  const timings = await measure(
    [
      contender(PEER, () => throughPeer(bytes, options), isSame),
      contender("cfile", () => throughOurs(bytes, options), isSame),
    ],
    true,
    effortAt(scale),
  );
  const peer = timings.find((timing) => timing.contender === PEER)?.milliseconds ?? Number.NaN;
  const [first, second] = timings.map(({ contender: name, milliseconds, fastest }) => ({
    contender: `${name}, ${column.name}`,
    milliseconds,
    fastest,
    rate: (millionsIn(column, batch) / milliseconds) * 1000,
    ratio: peer / milliseconds,
    unit: column.unit,
    ...(name === PEER ? {} : { wanted: GOAL }),
  }));
  if (first === undefined || second === undefined) {
    throw new TypeError("expected two contenders");
  }
  return [first, second];
}

async function throughOurs(bytes: Uint8Array, options: WriterOptions): Promise<Uint8Array> {
  const sink = memorySink();
  await exportParquet(sink, tableOfFiles({ c: await openCFile(bytes) }), { codec: "SNAPPY" });
  const file = await openParquet(sink.bytes());
  const target = memorySink();
  const created = await createCFile(target, options);
  for await (const batch of file.column("c")) {
    await created.append(batch);
  }
  await created.finish();
  return target.bytes();
}

async function throughPeer(bytes: Uint8Array, options: WriterOptions): Promise<Uint8Array> {
  const file = await openCFile(bytes);
  const data = await cellsOf(file);
  const type = BASIC_TYPES[options.type];
  const nullable = options.nullable ?? false;
  const written = parquetWriteBuffer({ columnData: [{ name: "c", data, ...(type && { type }), nullable }] });
  const target = memorySink();
  const created = await createCFile(target, options);
  const chunks: ArrayLike<unknown>[] = [];
  await parquetRead({
    file: written,
    columns: ["c"],
    onChunk: ({ columnData }) => {
      chunks.push(columnData);
    },
  });
  for (const chunk of chunks) {
    await created.append(isNumbers(chunk) ? chunk : (Array.from(chunk) as CellValue[]));
  }
  await created.finish();
  return target.bytes();
}

/** Values that the peer returns for columns without nulls are appended unchanged. */
const isNumbers = (chunk: ArrayLike<unknown>): chunk is Int32Array | BigInt64Array | Float64Array =>
  ArrayBuffer.isView(chunk);

/** The cells in the format that the peer accepts fastest: a typed array of numbers if there are no nulls. */
async function cellsOf(file: CFileReader): Promise<DecodedArray> {
  if (file.nullable || BASIC_TYPES[file.type] === "STRING" || file.type === "BOOL") {
    return (await file.toArray()) as DecodedArray;
  }
  let bytes = new Uint8Array(0);
  let whole: DecodedArray = [];
  let at = 0;
  for await (const batch of file.scan({ arena: new MemoryArena() })) {
    if (batch.kind !== "fixed") {
      throw new TypeError(`expected numbers, found ${batch.kind}`);
    }
    const { values } = batch;
    if (at === 0) {
      const room = new ArrayBuffer(file.rowCount * values.BYTES_PER_ELEMENT);
      bytes = new Uint8Array(room);
      whole =
        values instanceof Int32Array
          ? new Int32Array(room)
          : values instanceof BigInt64Array
            ? new BigInt64Array(room)
            : new Float64Array(room);
    }
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += values.byteLength;
  }
  return whole;
}

async function boundedMemory(scale: number): Promise<Record<"to Parquet" | "from Parquet", ChildReport>> {
  const folder = await mkdtemp(join(tmpdir(), "cfile-bench-parquet-"));
  try {
    const [source, table, again] = ["source.cfile", "table.parquet", "again.cfile"].map((name) =>
      join(folder, name),
    );
    if (source === undefined || table === undefined || again === undefined) {
      throw new TypeError("expected three files");
    }
    const written = await runChild("write", source, String(Math.floor((INPUT_BYTES * scale) / 8)));
    const to = await runChild("to-parquet", source, table);
    await rm(source);
    const from = await runChild("from-parquet", table, again);
    requireSame(written, await runChild("scan", again));
    return { "to Parquet": to, "from Parquet": from };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
