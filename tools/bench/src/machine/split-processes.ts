/** Plans and runs splits with processes of the `cfile` command, as on a cluster, and checks every answer. */
import { spawn } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openParquet } from "@cfile/parquet";
import { WrongAnswer } from "../measure.js";

/** The command as it is published. */
const command = join(dirname(fileURLToPath(import.meta.resolve("@cfile/cli"))), "bundle", "cfile.js");

/** Runs the command to its end; returns its standard output. */
export function cfile(args: readonly string[], input = ""): Promise<string> {
  return node([command, ...args], input);
}

/** Runs Node to its end; returns its standard output. */
export async function node(args: readonly string[], input = ""): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
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
    throw new WrongAnswer(
      `${args.slice(0, 3).join(" ")} exited with ${code}: ${Buffer.concat(complaints).toString()}`,
    );
  }
  return Buffer.concat(chunks).toString();
}

/** The lines of `cfile splits`. */
export async function splitLines(path: string, args: readonly string[]): Promise<string[]> {
  await cfile(["splits", ...args, "-o", path]);
  return (await readFile(path, "utf8")).trimEnd().split("\n");
}

/**
 * Runs splits with this many processes at a time. Process `i` of `n` runs every `n`th split, starting with
 * `i`.
 */
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
    throw new WrongAnswer(`${workers} workers: ${rows} rows, expected ${expectedRows}`);
  }
}

/** Rows of the Parquet files in a folder, and the sum of an INT32 column, modulo 2^32. Removes the folder. */
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
