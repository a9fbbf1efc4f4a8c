/** Parquet files of parquet-java read by us, ours by parquet-java and DuckDB; damaged files: who notices, and who saves the rest. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openParquet, recoverParquet, verifyParquet } from "@cfile/parquet";
import { DriverError, type JavaDriver } from "../java-driver.js";
import { cellTexts } from "../kudu/compare-rows.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { readByDuckDb } from "./duckdb-rows.js";
import { type RandomTable, randomTable, schemaText, writeOurs } from "./random-table.js";

const CODECS = ["UNCOMPRESSED", "SNAPPY", "GZIP", "LZ4_RAW"] as const;
const FILES = 4;
const FLIPS = 3;

export async function parquetRound(seed: number, folder: string, driver: JavaDriver): Promise<CheckResult[]> {
  const random = new Random(seed);
  const theirs: string[] = [];
  const ours: string[] = [];
  const duck: string[] = [];
  const damage: string[] = [];
  const flipped = {
    "refused by parquet-java": 0,
    "read by parquet-java as if nothing were": 0,
    "of no consequence": 0,
  };
  let rows = 0;
  for (let i = 0; i < FILES; i++) {
    const table = randomTable(random);
    rows += table.rows.length;
    const path = join(folder, `java-${i}.parquet`);
    const options = [
      random.pick(CODECS),
      random.pick(["PARQUET_1_0", "PARQUET_2_0"]),
      random.below(2),
      random.below(2),
      random.pick([200, 4000, 1_000_000]),
      random.pick([20_000, 100_000_000]),
    ];
    await driver.ask(["write", path, table.rows.length, schemaText(table), ...options], table.rows);
    const bytes = await readFile(path);
    theirs.push(...(await compareOurReading(`${path} (${options.join(" ")})`, bytes, table)));
    damage.push(...(await flipBytes(random, path, bytes, table, driver, flipped)));

    const own = join(folder, `ours-${i}.parquet`);
    const written = await writeOurs(random, table, random.pick(CODECS));
    await writeFile(own, written.bytes);
    const name = `${own} (${written.options})`;
    ours.push(...difference(name, table.rows, await answered(driver, own)));
    duck.push(...difference(name, table.rows, await readByDuckDb(own, table.columns)));
  }
  return [
    {
      what: "we read parquet-java's files: pages v1 and v2, dictionaries, delta and split encodings, four codecs",
      cases: FILES,
      rows,
      failures: theirs,
    },
    { what: "parquet-java reads our files, checksums verified", cases: FILES, rows, failures: ours },
    { what: "DuckDB reads our files", cases: FILES, rows, failures: duck },
    {
      what: "a flipped byte: we name the page and save the rest",
      cases: FILES * FLIPS,
      rows: 0,
      failures: damage,
      counts: flipped,
    },
  ];
}

async function compareOurReading(name: string, bytes: Uint8Array, table: RandomTable): Promise<string[]> {
  try {
    const { ok, losses } = await verifyParquet(bytes);
    const told = ok ? [] : [`${name}: ${losses[0]?.error.message}`];
    return [...told, ...difference(name, table.rows, await ourRows(bytes))];
  } catch (error) {
    return [`${name}: ${String(error)}`];
  }
}

async function ourRows(bytes: Uint8Array): Promise<string[]> {
  const rows: string[] = [];
  for await (const { columns, length } of (await openParquet(bytes)).scan()) {
    const cells = columns.map(cellTexts);
    for (let row = 0; row < length; row++) {
      rows.push(cells.map((column) => column[row]).join("\t"));
    }
  }
  return rows;
}

/** parquet-java's rows, or the reason why it gives none. */
async function answered(driver: JavaDriver, path: string): Promise<string[]> {
  try {
    return await driver.ask(["read", path]);
  } catch (error) {
    if (error instanceof DriverError) {
      return [error.message];
    }
    throw error;
  }
}

function difference(name: string, wanted: readonly string[], found: readonly string[]): string[] {
  const at = wanted.findIndex((row, i) => row !== found[i]);
  if (at === -1 && wanted.length === found.length) {
    return [];
  }
  const row = at === -1 ? wanted.length : at;
  return [
    `${name}: row ${row} of ${wanted.length}, ${found.length}: expected ${wanted[row]?.slice(0, 200)}, found ${found[row]?.slice(0, 200)}`,
  ];
}

/** Flips bytes before the footer, one in each copy. */
async function flipBytes(
  random: Random,
  path: string,
  bytes: Uint8Array,
  table: RandomTable,
  driver: JavaDriver,
  counts: Record<string, number>,
): Promise<string[]> {
  const failures: string[] = [];
  const footer =
    bytes.length - 8 - new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 8, true);
  const count = (what: keyof typeof counts): void => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (let i = 0; i < FLIPS; i++) {
    const at = random.between(4, footer - 1);
    const damaged = bytes.slice();
    damaged[at] = (damaged[at] as number) ^ (1 << random.below(8));
    const copy = `${path}.${at}`;
    await writeFile(copy, damaged);
    const theirs = await answered(driver, copy);
    const isSame = theirs.length === table.rows.length && theirs.every((row, n) => row === table.rows[n]);
    const isRefused = theirs.length < 2 && theirs[0] !== table.rows[0];
    try {
      const { ok, losses } = await verifyParquet(damaged);
      const recovered = await recoverParquet(damaged);
      const kept = await ourRecovered(recovered);
      const wrong = wrongCells(
        table.rows,
        kept,
        recovered.columns.map(({ lost }) => lost),
      );
      if (wrong !== undefined) {
        failures.push(`${copy}: ${wrong}`);
      }
      if (isRefused && ok) {
        failures.push(`${copy}: parquet-java says ${theirs[0]?.slice(0, 200)}, we find nothing wrong`);
      }
      if (!isSame && !isRefused && ok) {
        failures.push(`${copy}: parquet-java reads other values, we find nothing wrong`);
      }
      if (!ok && losses.some(({ offset, part }) => offset === undefined && part === "page")) {
        failures.push(`${copy}: a lost page without its place`);
      }
      count(
        isRefused
          ? "refused by parquet-java"
          : isSame
            ? "of no consequence"
            : "read by parquet-java as if nothing were",
      );
    } catch (error) {
      failures.push(`${copy}: ${String(error).slice(0, 300)}`);
    }
  }
  return failures;
}

async function ourRecovered(file: Awaited<ReturnType<typeof recoverParquet>>): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const { columns, length } of file.table("null").rows) {
    const cells = columns.map(cellTexts);
    for (let row = 0; row < length; row++) {
      rows.push(cells.map((column) => column[row] ?? ""));
    }
  }
  return rows;
}

/** What was not lost is what it was. */
function wrongCells(
  rows: readonly string[],
  kept: readonly (readonly string[])[],
  lost: readonly (readonly { readonly from: number; readonly to: number }[])[],
): string | undefined {
  for (const [row, text] of rows.entries()) {
    for (const [c, cell] of text.split("\t").entries()) {
      const isLost = lost[c]?.some(({ from, to }) => from <= row && row < to) ?? false;
      if (!isLost && kept[row]?.[c] !== cell) {
        return `row ${row}, column ${c}: ${kept[row]?.[c]?.slice(0, 100)} was saved, ${cell.slice(0, 100)} was written`;
      }
    }
  }
  return undefined;
}
