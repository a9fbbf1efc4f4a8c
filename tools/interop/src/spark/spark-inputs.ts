/**
 * Input of the splits: the directories of a tablet server with 200 tablets, and a dataset of 1,000 CFiles.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MutationBuilder } from "@cfile/deltafile";
import type { CellValue, DataType } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { CHANGED_NUMBER, loadBatches, loadSchema, syntheticServer } from "@cfile-tools/kudu-synthetic";
import { createCFile } from "cfile";
import { Random } from "../random.js";

export const TABLETS = 200;
export const TABLE = "load";
/** Maximum rows in each of the two row sets of a tablet. */
const MAX_ROWS = 1500;
const NUMBER_COLUMN = 11;

/** Directories of a server with one table; every tablet has some of its rows. @returns the table's rows */
export async function makeServer(folder: string, seed: number): Promise<number> {
  const random = new Random(seed);
  const server = await syntheticServer(folder, { disks: 3, blockManager: "log", containerBytes: 1 << 20 });
  const change = new MutationBuilder();
  change.set(NUMBER_COLUMN, Uint8Array.of(CHANGED_NUMBER, 0, 0, 0));
  const mutations = change.finish();
  let key = 0;
  for (let bucket = 0; bucket < TABLETS; bucket++) {
    const rowSets = [1000n, 1001n].map((insertedAt) => {
      const from = key;
      key += random.between(1, MAX_ROWS);
      const rows = Array.from({ length: key - from }, (_, row) => row).filter(() => random.once(20));
      return {
        batches: [loadBatches(from, key)],
        insertedAt,
        updates: rows.length === 0 ? [] : [{ rows, timestamp: 2000n, mutations }],
      };
    });
    await server.add({ table: TABLE, schema: loadSchema, bucket, buckets: TABLETS, rowSets });
  }
  await server.finish();
  return key;
}

interface Column {
  readonly name: string;
  readonly type: DataType;
  readonly nullable: boolean;
  value(random: Random, row: number): CellValue;
}

const WORDS = ["", "a", "naïve", "日本", "spark", "x".repeat(300)];

const COLUMNS: readonly Column[] = [
  { name: "id", type: "INT64", nullable: false, value: (_, row) => BigInt(row) },
  { name: "small", type: "INT8", nullable: true, value: (random) => random.below(256) - 128 },
  { name: "number", type: "INT32", nullable: true, value: (random) => random.below(2 ** 32) | 0 },
  { name: "word", type: "STRING", nullable: true, value: (random) => random.pick(WORDS) },
  { name: "bytes", type: "BINARY", nullable: false, value: (random) => random.bytes(random.below(20)) },
  {
    name: "real",
    type: "DOUBLE",
    nullable: true,
    value: (random) => random.pick([0, -0, Number.NaN, Number.POSITIVE_INFINITY, random.below(1e9) / 7]),
  },
  {
    name: "seen",
    type: "UNIXTIME_MICROS",
    nullable: true,
    value: (random) => 1_700_000_000_000_000n + random.signed(32),
  },
  { name: "day", type: "DATE", nullable: true, value: (random) => random.below(40000) - 10000 },
];
const COMPRESSIONS = ["NO_COMPRESSION", "SNAPPY", "LZ4", "ZLIB"] as const;

export const datasetColumns = COLUMNS.map(({ name, type, nullable }) => ({
  name,
  type,
  nullable,
  array: false,
}));

export interface MadeDataset {
  /** Its manifest. */
  readonly path: string;
  /** Paths by part, in the order of the columns. */
  readonly files: readonly (readonly string[])[];
  /** Rows of each part. */
  readonly partRows: readonly number[];
}

/** A dataset with this many parts, each with one file for each of eight columns. */
export async function makeDataset(
  folder: string,
  parts: number,
  seed: number,
  blockSizes: readonly number[],
): Promise<MadeDataset> {
  const random = new Random(seed);
  const files: string[][] = [];
  const manifest: { rows: number; columns: Record<string, string> }[] = [];
  let first = 0;
  for (let part = 0; part < parts; part++) {
    const rows = random.between(1, 1500);
    await mkdir(join(folder, String(part)), { recursive: true });
    const columns: Record<string, string> = {};
    for (const { name, type, nullable, value } of COLUMNS) {
      columns[name] = `${part}/${name}.cfile`;
      const often = random.pick([2, 10, 1000]);
      const values = Array.from({ length: rows }, (_, row) =>
        nullable && random.once(often) ? null : value(random, first + row),
      );
      const creator = await createCFile(join(folder, columns[name]), {
        type,
        nullable,
        compression: random.pick(COMPRESSIONS),
        blockSize: random.pick(blockSizes),
        sync: false,
      });
      await creator.append(batchFromValues({ type, nullable }, values));
      await creator.finish();
    }
    files.push(COLUMNS.map(({ name }) => join(folder, columns[name] ?? "")));
    manifest.push({ rows, columns });
    first += rows;
  }
  const path = join(folder, "dataset.json");
  await writeFile(path, JSON.stringify({ version: 1, parts: manifest }));
  return { path, files, partRows: manifest.map(({ rows }) => rows) };
}
