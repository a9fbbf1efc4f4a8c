/** Exports of Kudu tables to Iceberg, interrupted after any file operation by a kill or a power cut, which loses what was not synced. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { runCli } from "@cfile/cli";
import { openIcebergTable, readSnapshot } from "@cfile/iceberg";
import { fileDirectory } from "@cfile/io/file";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { expect, test } from "vitest";
import { recordOperations } from "../src/disk/recorded-disk.js";
import { afterPowerCut, DISKS, type DiskKind, type Files } from "../src/disk/simulated-disk.js";

const LOG = pathToGolden("servers/log");
/** Between the changes of table `history`. */
const [T0, T1] = ["7353263250431393793", "7353263300000000000"];
/** Every how many operations the command is run again. */
const RESUMED = 7;

async function cfile(...args: string[]): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [printed, errors] = [text(stdout), text(stderr)];
  const code = await runCli(args, { stdin: Readable.from([]), stdout, stderr, env: {} });
  stdout.end();
  stderr.end();
  return code === 0 ? printed : `exit code ${code}: ${await errors}`;
}

const exportTo = (path: string, ...more: string[]): Promise<string> =>
  cfile("kudu", "export", LOG, "--table", "history", "--to", "iceberg", "-o", path, "-j", "1", ...more);

/** The rows of a table as sorted text; "none" without a table. */
async function rowsAt(path: string): Promise<string> {
  const [data, metadata] = await Promise.all(
    ["data", "metadata"].map((name) => fileDirectory(join(path, name), { create: true })),
  );
  const table = data && metadata && (await openIcebergTable({ data, metadata, location: path }));
  if (table === undefined) {
    return "none";
  }
  const rows: string[] = [];
  for (const file of (await readSnapshot(table)).files) {
    for await (const { columns, length } of file.rows()) {
      const cells = columns.map((column) => column.toArray().map(String));
      rows.push(...Array.from({ length }, (_, row) => cells.map((column) => column[row]).join()));
    }
  }
  return rows.sort().join("\n");
}

async function filesAt(path: string): Promise<Files> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(await Promise.all(paths.map(async (one) => [one, await readFile(one)] as const)));
}

async function restore(path: string, files: Files): Promise<void> {
  await rm(path, { recursive: true, force: true });
  for (const [file, bytes] of files) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}

const bytesOf = (files: Files): Map<string, string> =>
  new Map([...files].map(([name, bytes]): [string, string] => [name, Buffer.from(bytes).toString("hex")]));

test.each([
  ["an export", [], ["--as-of", T0]],
  ["a catch-up", ["--as-of", T0], ["--from", T0, "--as-of", T1]],
])(
  "%s leaves the old or the new snapshot, and succeeds when it is run again",
  async (_name, first, second) => {
    const path = join(temporaryFolder(), "t");
    if (first.length > 0) {
      await exportTo(path, ...first);
    }
    const [before, old] = [await filesAt(path), await rowsAt(path)];
    const operations = await recordOperations(path, () => exportTo(path, ...second));
    const whole = await rowsAt(path);
    expect(whole.split("\n").length).toBeGreaterThan(50);
    expect(whole).not.toBe(old);
    expect(bytesOf(afterPowerCut(operations, before, "keeps everything"))).toEqual(
      bytesOf(await filesAt(path)),
    );
    const seen = new Set<string>();
    const trees = new Set<string>();
    for (let cut = 0; cut <= operations.length; cut++) {
      for (const [i, kind] of (Object.keys(DISKS) as DiskKind[]).entries()) {
        const files = afterPowerCut(operations.slice(0, cut), before, kind);
        const tree = JSON.stringify([...bytesOf(files)]);
        if (trees.has(tree)) {
          continue;
        }
        trees.add(tree);
        await restore(path, files);
        const left = await rowsAt(path);
        seen.add(left);
        expect([old, whole], `after ${cut} operations, a disk that ${kind}`).toContain(left);
        if (cut % RESUMED === i && left === old) {
          expect(await exportTo(path, ...second)).not.toContain("exit code");
          expect(await rowsAt(path)).toBe(whole);
        }
      }
    }
    expect(seen).toEqual(new Set([old, whole]));
  },
);
