/** Reads HFiles of Hudi's writer, and has Hudi's reader read ours. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openHFile } from "@cfile/hfile";
import { HFileWriter } from "@cfile/hfile/write";
import { memorySink } from "@cfile/io";
import type { JavaDriver } from "../java-driver.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { firstDifference } from "./hbase-round.js";
import { hex } from "./random-cells.js";

const FILES = 5;

export async function hudiRound(seed: number, folder: string, driver: JavaDriver): Promise<CheckResult[]> {
  const random = new Random(seed);
  const theirs: string[] = [];
  const ours: string[] = [];
  let rows = 0;
  let equal = 0;
  let plain = 0;
  for (let i = 0; i < FILES; i++) {
    const cells = randomKeys(random).map((key): [string, Uint8Array] => [
      key,
      random.bytes(random.pick([0, 5, 60, 700])),
    ]);
    const texts = cells.map(([key, value]) => `${hex(Buffer.from(key))}\t${hex(value)}`);
    rows += cells.length;
    const compression = random.pick(["NONE", "GZIP"] as const);
    const blockSize = random.pick([100, 1000, 65536]);
    const path = join(folder, `hudi-${i}.hfile`);
    await driver.ask(["write", path, cells.length, compression, blockSize], texts);
    const bytes = await readFile(path);
    theirs.push(...(await compareReading(random, path, bytes, texts, driver)));

    const sink = memorySink();
    const codec = compression === "NONE" ? "NONE" : "GZ";
    const writer = new HFileWriter(sink, { profile: "hudi", compression: codec, blockSize });
    for (const [row, value] of cells) {
      await writer.append({ row, value });
    }
    await writer.finish();
    const own = join(folder, `ours-${i}.hfile`);
    await writeFile(own, sink.bytes());
    ours.push(...(await compareReading(random, own, sink.bytes(), texts, driver)));
    if (compression === "NONE") {
      plain++;
      equal += Buffer.compare(bytes, sink.bytes()) === 0 ? 1 : 0;
    }
  }
  const unequal =
    plain === equal ? [] : [`${plain - equal} of ${plain} uncompressed files differ from Hudi's bytes`];
  return [
    {
      what: "cfile reads Hudi's HFiles: every cell, every seek's code",
      cases: FILES,
      rows,
      failures: theirs,
    },
    {
      what: "Hudi reads our HFiles: every cell, every seek's code",
      cases: FILES,
      rows,
      failures: [...ours, ...unequal],
      counts: { "equal byte for byte": equal },
    },
  ];
}

/** Hudi's reader and ours on the same file. */
async function compareReading(
  random: Random,
  path: string,
  bytes: Uint8Array,
  texts: readonly string[],
  driver: JavaDriver,
): Promise<string[]> {
  const reader = await openHFile(bytes);
  const found: string[] = [];
  for await (const { row, value } of reader.entries()) {
    found.push(`${hex(row)}\t${hex(value)}`);
  }
  const failures = [firstDifference(texts, found), firstDifference(texts, await driver.ask(["read", path]))]
    .filter((text) => text !== undefined)
    .map((text) => `${path}: ${text}`);
  failures.push(...(await reader.verify()).problems.map(({ reason }) => `${path}: ${reason}`));
  const known = texts.map((text) => Buffer.from(text.split("\t")[0] ?? "", "hex").toString());
  const keys = [
    ...randomKeys(random).slice(0, 40),
    ...Array.from({ length: 40 }, () => random.pick(known)),
  ].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const codes = await driver.ask(
    ["seek", path, keys.length],
    keys.map((key) => hex(Buffer.from(key))),
  );
  for (const [i, key] of keys.entries()) {
    const { hudiCode } = await reader.seek(key);
    if (String(hudiCode) !== codes[i]) {
      failures.push(`${path}: key ${JSON.stringify(key)}: Hudi's code is ${codes[i]}, ours ${hudiCode}`);
    }
  }
  return failures.slice(0, 5);
}

function randomKeys(random: Random): string[] {
  const prefix = random.pick(["", "key-", "partition=2024-02-29/é/"]);
  const keys = Array.from({ length: random.pick([2, 50, 1500]) }, () => {
    const number = random.below(100_000);
    return prefix + (random.once(2) ? String(number) : String(number).padStart(8, "0"));
  });
  return [...new Set(keys)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
