/**
 * Tasks that write while the power is cut or the disk fails: ten kinds of column, and all other kinds of
 * file.
 */
import { openHFile } from "@cfile/hfile";
import { HFileWriter, type HFileWriterOptions } from "@cfile/hfile/write";
import { fileSink } from "@cfile/io/file";
import { createCFile, openCFile, type WriterOptions } from "cfile";
import { recoverCFile, rewriteCFile } from "cfile/recover";
import { goldenBytes } from "../files/golden-data.js";

export const TARGET = "/disk/file";

export interface WritingTask {
  readonly name: string;
  /** Writes the file at {@link TARGET}, in enough operations for about this many points. */
  readonly write: (points: number) => Promise<unknown>;
  /** Whether a complete file has the expected content. */
  readonly isRight: (bytes: Uint8Array, points: number) => Promise<boolean>;
}

const COLUMNS: readonly WriterOptions[] = [
  { type: "INT32", encoding: "PLAIN_ENCODING" },
  { type: "INT64", encoding: "BIT_SHUFFLE", validx: true },
  { type: "INT16", encoding: "RLE", nullable: true },
  { type: "STRING", encoding: "DICT_ENCODING", compression: "LZ4" },
  { type: "STRING", encoding: "PREFIX_ENCODING", compression: "SNAPPY" },
  { type: "VARCHAR", encoding: "PLAIN_ENCODING", compression: "ZLIB" },
  { type: "BOOL", encoding: "PLAIN_ENCODING", checksums: false },
  { type: "DOUBLE", encoding: "BIT_SHUFFLE", compression: "LZ4" },
  { type: "INT32", encoding: "BIT_SHUFFLE", array: true, nullable: true },
  { type: "UINT8", encoding: "PLAIN_ENCODING", posidx: false, checksums: false },
];

/**
 * Approximate rows per operation for each kind of column. Small values, and values that encode to few bytes,
 * need more rows.
 */
const ROWS_OF_OPERATION: Partial<Record<string, number>> = {
  "INT32 PLAIN_ENCODING": 220,
  "INT64 BIT_SHUFFLE": 70,
  "INT16 RLE": 320,
  "STRING DICT_ENCODING": 120,
  "STRING PREFIX_ENCODING": 90,
  "BOOL PLAIN_ENCODING": 5000,
  "DOUBLE BIT_SHUFFLE": 70,
  "INT32 BIT_SHUFFLE": 90,
  "UINT8 PLAIN_ENCODING": 700,
};

const rowsFor = (points: number, { type, encoding }: WriterOptions): number =>
  Math.max(2000, points * (ROWS_OF_OPERATION[`${type} ${encoding}`] ?? 30));

type Cell = number | bigint | string | boolean | readonly number[] | null;

function cellOf({ type, array }: WriterOptions, i: number): Cell {
  if (array === true) {
    return i % 5 === 0 ? null : [i, (i * 31) % 1009];
  }
  switch (type) {
    case "STRING":
    case "VARCHAR":
      return `row ${String(i).padStart(9, "0")} ${(i * 7919) % 1000}`;
    case "BOOL":
      return (i * 2654435761) % 7 < 3;
    case "INT64":
      return BigInt(i) * 1_000_003n;
    case "INT16":
      return i % 7 === 0 ? null : (i * 7919) % 1000;
    case "DOUBLE":
      return Math.sin(i);
    default:
      return type === "UINT8" ? i % 251 : i;
  }
}

async function isWhole(bytes: Uint8Array, rows: number): Promise<boolean> {
  const report = await (await openCFile(bytes)).verify();
  return report.ok && report.rows === rows;
}

const columnTask = (options: WriterOptions): WritingTask => ({
  name: `column ${options.type} ${options.encoding} ${options.compression ?? "NO_COMPRESSION"}`,
  write: async (points) => {
    const rows = rowsFor(points, options);
    await using writer = await createCFile(TARGET, { ...options, blockSize: 512, indexBlockSize: 512 });
    for (let from = 0; from < rows; from += 500) {
      const cells = Array.from({ length: Math.min(500, rows - from) }, (_, i) => cellOf(options, from + i));
      await writer.append(cells as never);
    }
    await writer.finish();
  },
  isRight: (bytes, points) => isWhole(bytes, rowsFor(points, options)),
});

const GOLDEN = "idx_int64_plain_opt";
const SOUND = goldenBytes(`${GOLDEN}.cfile`);

const hfileTask = (options: HFileWriterOptions): WritingTask => {
  const cells = (points: number): number => points * 16;
  return {
    name: `HFile ${options.profile} ${options.compression ?? "NONE"}`,
    write: async (points) => {
      await using writer = new HFileWriter(await fileSink(TARGET), { ...options, blockSize: 256 });
      const count = cells(points);
      for (let from = 0; from < count; from += 500) {
        await writer.append(
          Array.from({ length: Math.min(500, count - from) }, (_, i) => ({
            row: `key-${String(from + i).padStart(9, "0")}`,
            value: `value ${((from + i) * 7919) % 1000}`,
          })),
        );
      }
      await writer.finish();
    },
    isRight: async (bytes, points) => {
      const report = await (await openHFile(bytes)).verify();
      return report.ok && report.entries === cells(points);
    },
  };
};

const rowsOf = async (bytes: Uint8Array): Promise<number> => (await openCFile(bytes)).rowCount;

export const WRITING_TASKS: readonly WritingTask[] = [
  ...COLUMNS.map(columnTask),
  {
    name: "rewrite",
    write: async () => {
      await using file = await openCFile(SOUND);
      await rewriteCFile(file, TARGET, { blockSize: 256, indexBlockSize: 256 });
    },
    isRight: async (bytes) => isWhole(bytes, await rowsOf(SOUND)),
  },
  {
    name: "recover",
    write: () => recoverCFile(SOUND, TARGET),
    isRight: async (bytes) => isWhole(bytes, await rowsOf(SOUND)),
  },
  hfileTask({ profile: "hbase" }),
  hfileTask({ profile: "hbase", compression: "GZ" }),
  hfileTask({ profile: "hudi" }),
];
