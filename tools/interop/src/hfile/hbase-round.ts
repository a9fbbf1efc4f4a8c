/** Compares HFiles cell by cell and seek by seek: cfile reads those of HBase, and HBase reads ours. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type HFileReader, openHFile, WRITTEN_CODECS, type WrittenCodec } from "@cfile/hfile";
import { HFileWriter } from "@cfile/hfile/write";
import { memorySink } from "@cfile/io";
import { noneOf } from "../coverage.js";
import type { JavaDriver } from "../java-driver.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { cellText, hex, type PlannedCell, randomCells, randomRows } from "./random-cells.js";

const CODECS = ["NONE", "GZ", "SNAPPY", "LZ4", "ZSTD"];
const ENCODINGS = ["NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"];
const CHECKSUMS = ["NULL", "CRC32", "CRC32C"] as const;
const FILES = 5;

export async function hbaseRound(seed: number, folder: string, driver: JavaDriver): Promise<CheckResult[]> {
  const random = new Random(seed);
  const theirs: string[] = [];
  const ours: string[] = [];
  const codecs = noneOf(CODECS);
  const encodings = noneOf(ENCODINGS);
  const checksums = noneOf(CHECKSUMS);
  const count = (codec: string, encoding: string, checksum: string): void => {
    codecs[codec] = (codecs[codec] ?? 0) + 1;
    encodings[encoding] = (encodings[encoding] ?? 0) + 1;
    checksums[checksum] = (checksums[checksum] ?? 0) + 1;
  };
  let rows = 0;
  const written: Record<string, number> = {};
  for (let i = 0; i < FILES; i++) {
    const cells = randomCells(random);
    rows += cells.length;
    theirs.push(...(await readOfHBase(random, join(folder, `hbase-${i}.hfile`), cells, driver, count)));
    const codec = random.pick(WRITTEN_CODECS);
    written[codec] = (written[codec] ?? 0) + 1;
    ours.push(...(await readByHBase(random, join(folder, `ours-${i}.hfile`), cells, codec, driver)));
  }
  return [
    {
      what: "cfile reads HBase's HFiles: all codecs, encodings and checksums",
      cases: FILES,
      rows,
      failures: theirs,
      occurred: {
        "HBase's files by codec": codecs,
        "HBase's files by encoding of data blocks": encodings,
        "HBase's files by checksums": checksums,
      },
    },
    {
      what: "HBase reads our HFiles, every cell, every seek",
      cases: FILES,
      rows,
      failures: ours,
      occurred: { "our files for HBase by codec": written },
    },
  ];
}

async function readOfHBase(
  random: Random,
  path: string,
  cells: readonly PlannedCell[],
  driver: JavaDriver,
  count: (codec: string, encoding: string, checksum: string) => void,
): Promise<string[]> {
  const codec = random.pick(CODECS);
  const encoding = random.pick(ENCODINGS);
  const blockSize = random.pick([128, 1024, 65536]);
  const checksum = random.pick(CHECKSUMS);
  count(codec, encoding, checksum);
  const sizes = [random.pick([256, 16384]), random.pick([128, 600, 131072])];
  const options = [codec, encoding, blockSize, checksum, ...sizes];
  const what = `${path}, ${options.join(" ")}`;
  await driver.ask(["write", path, cells.length, ...options], cells.map(cellText));
  const reader = await openHFile(await readFile(path));
  const failures: string[] = [];
  const found: string[] = [];
  for await (const cell of reader.entries()) {
    found.push(cellText(cell));
  }
  const difference = firstDifference(cells.map(cellText), found);
  if (difference !== undefined) {
    failures.push(`${what}: ${difference}`);
  }
  const { problems } = await reader.verify();
  failures.push(...problems.map(({ reason }) => `${what}: ${reason}`));
  failures.push(
    ...(await compareSeeks(random, path, reader, cells, driver)).map((text) => `${what}: ${text}`),
  );
  return failures;
}

async function readByHBase(
  random: Random,
  path: string,
  cells: readonly PlannedCell[],
  compression: WrittenCodec,
  driver: JavaDriver,
): Promise<string[]> {
  const options = {
    compression,
    checksums: random.pick(CHECKSUMS),
    blockSize: random.pick([128, 1024, 65536]),
    bytesPerChecksum: random.pick([256, 16384]),
    indexBlockSize: random.pick([128, 600, 131072]),
  };
  const sink = memorySink();
  const writer = new HFileWriter(sink, { profile: "hbase", ...options });
  for (const cell of cells) {
    await writer.append(cell);
  }
  await writer.finish();
  await writeFile(path, sink.bytes());
  const what = `${path}, ${JSON.stringify(options)}`;
  const difference = firstDifference(cells.map(cellText), await driver.ask(["read", path]));
  const seeks = await compareSeeks(random, path, await openHFile(sink.bytes()), cells, driver);
  return [
    ...(difference === undefined ? [] : [`${what}: ${difference}`]),
    ...seeks.map((text) => `${what}: ${text}`),
  ];
}

/** The first row at or after each of these rows, according to HBase and to cfile. */
async function compareSeeks(
  random: Random,
  path: string,
  reader: HFileReader,
  cells: readonly PlannedCell[],
  driver: JavaDriver,
): Promise<string[]> {
  const rows = [...randomRows(random, 60), ...Array.from({ length: 60 }, () => random.pick(cells).row)];
  const answers = await driver.ask(["seek", path, rows.length], rows.map(hex));
  const failures: string[] = [];
  for (const [i, row] of rows.entries()) {
    const sought = await reader.seek(row);
    const cell = "cell" in sought ? sought.cell : "ceiling" in sought ? sought.ceiling : undefined;
    const found = cell === undefined ? "none" : hex(cell.row);
    if (found !== answers[i]) {
      failures.push(`row ${hex(row)}: HBase finds ${answers[i]}, we ${found}`);
    }
  }
  return failures.slice(0, 5);
}

export function firstDifference(wanted: readonly string[], found: readonly string[]): string | undefined {
  const at = wanted.findIndex((text, i) => text !== found[i]);
  if (at === -1 && wanted.length === found.length) {
    return undefined;
  }
  const place = at === -1 ? wanted.length : at;
  return `cell ${place} of ${wanted.length}, ${found.length}: expected ${wanted[place]?.slice(0, 160)}, found ${found[place]?.slice(0, 160)}`;
}
