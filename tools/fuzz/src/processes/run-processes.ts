/** Starts the processes and collects their output. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { GoldenSet } from "./golden-set.js";
import type { LargeScan } from "./large-scan.js";
import { type ManyFiles, writeMany } from "./many-files.js";
import { SOAK_FILES, type SoakResult, writeGeneration } from "./soak-process.js";
import { createAccounts, type LoadResult } from "./table-store-load.js";
import { writeLarge } from "./write-large.js";
import { writeSparse } from "./write-sparse.js";

const run = promisify(execFile);
/** The compiled scripts, also when a test runs from source. */
const scripts = new URL("../../dist/processes/", import.meta.url);

async function answerOf<T>(
  script: string,
  nodeFlags: readonly string[],
  args: readonly string[],
): Promise<T> {
  const path = fileURLToPath(new URL(script, scripts));
  const { stdout } = await run(process.execPath, [...nodeFlags, path, ...args], { maxBuffer: 1 << 24 });
  return JSON.parse(stdout) as T;
}

async function inFolder<T>(action: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(process.env["RELIABILITY_FOLDER"] ?? tmpdir(), "cfile-reliability-"));
  try {
    return await action(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes a file of this size and scans it in another process. */
export function scanLarge(bytes: number): Promise<LargeScan & { readonly rowsWritten: number }> {
  return inFolder(async (folder) => {
    const path = join(folder, "large.cfile");
    const rowsWritten = await writeLarge(path, bytes);
    return { ...(await answerOf<LargeScan>("large-scan.js", [], [path])), rowsWritten };
  });
}

/** Like {@link scanLarge}, for a file of zeros, which takes no disk space. */
export function scanSparse(bytes: number): Promise<LargeScan & { readonly rowsWritten: number }> {
  return inFolder(async (folder) => {
    const path = join(folder, "sparse.cfile");
    const rowsWritten = await writeSparse(path, bytes);
    return { ...(await answerOf<LargeScan>("large-scan.js", [], [path])), rowsWritten };
  });
}

/** Sixteen readers, in four processes, and a writer on one table store. */
export function loadTableStore(seconds: number): Promise<LoadResult[]> {
  return inFolder(async (folder) => {
    await createAccounts(folder);
    const roles = [["writer"], ...Array.from({ length: 4 }, () => ["readers", "4"] as const)];
    const results = await Promise.all(
      roles.map(([role = "", ...count]) =>
        answerOf<LoadResult[]>("table-store-load.js", [], [role, folder, `${seconds}`, ...count]),
      ),
    );
    return results.flat();
  });
}

/** Opens this many files at once, or reads them as one dataset. */
export function readMany(role: "open" | "dataset", count: number): Promise<ManyFiles> {
  return inFolder(async (folder) => {
    await writeMany(folder, count);
    return answerOf<ManyFiles>("many-files.js", [], [role, folder, `${count}`]);
  });
}

/** Reads all golden files, or every Nth one, in a process with a small heap. */
export function readGoldenSet(heapMegabytes: number, every = 1): Promise<GoldenSet> {
  return answerOf<GoldenSet>("golden-set.js", [`--max-old-space-size=${heapMegabytes}`], [`${every}`]);
}

/** Two processes read files that a third one replaces. */
export function soak(seconds: number): Promise<SoakResult[]> {
  return inFolder(async (folder) => {
    for (let file = 0; file < SOAK_FILES; file++) {
      await writeGeneration(join(folder, `${file}.cfile`), file);
    }
    const roles = ["writer", "reader", "reader"];
    return Promise.all(
      roles.map((role) => answerOf<SoakResult>("soak-process.js", [], [role, folder, `${seconds}`])),
    );
  });
}
