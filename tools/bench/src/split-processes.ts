/** Splits made and run by processes of the `cfile` command, as on a cluster; every answer is checked. */
import { spawn } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openParquet } from "@cfile/parquet";
import { WrongAnswer } from "./measure.js";

const command = join(dirname(fileURLToPath(import.meta.resolve("@cfile/cli"))), "main.js");

/** Runs the command to its end; what it wrote to standard output. */
export async function cfile(args: readonly string[], input = ""): Promise<string> {
  const child = spawn(process.execPath, [command, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  const complaints: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) {
    throw new WrongAnswer(`cfile ${args[0]} ended with ${code}: ${Buffer.concat(complaints).toString()}`);
  }
  return Buffer.concat(chunks).toString();
}

/** The lines of `cfile splits`. */
export async function splitLines(path: string, args: readonly string[]): Promise<string[]> {
  await cfile(["splits", ...args, "-o", path]);
  return (await readFile(path, "utf8")).trimEnd().split("\n");
}

/** Runs splits by so many processes at a time, each with every so-many-th split. */
export async function runWorkers(
  lines: readonly string[],
  workers: number,
  parts: string,
  expectedRows: number,
): Promise<void> {
  const runs = Array.from({ length: workers }, (_, worker) => {
    const own = lines.filter((_line, i) => i % workers === worker);
    return cfile(["run-split", "-o", parts], `${own.join("\n")}\n`);
  });
  const answers = (await Promise.all(runs)).flatMap((text) => text.split("\n").filter((line) => line !== ""));
  const rows = answers.reduce(
    (sum, answer) => sum + Number((JSON.parse(answer) as { rows: number }).rows),
    0,
  );
  if (rows !== expectedRows) {
    throw new WrongAnswer(`${workers} workers: ${rows} rows, not ${expectedRows}`);
  }
}

/** Rows of the Parquet files in a folder, and the sum of a column of INT32, modulo 2^32. The folder is removed. */
export async function sumOfParts(
  parts: string,
  column: string,
): Promise<readonly [rows: number, sum: number]> {
  let rows = 0;
  let sum = 0;
  for (const name of await readdir(parts)) {
    const file = await openParquet(join(parts, name));
    const place = file.columns.findIndex((candidate) => candidate.name === column);
    for await (const { length, columns } of file.scan()) {
      const batch = columns[place];
      rows += length;
      if (batch?.kind === "fixed" && batch.values instanceof Int32Array) {
        for (const value of batch.values) {
          sum = (sum + value) | 0;
        }
      }
    }
    await file.close();
  }
  await rm(parts, { recursive: true });
  return [rows, sum];
}
