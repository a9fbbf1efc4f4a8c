/**
 * Opens the directories of a cluster in a separate process, or only reads the same files. Prints results, time and peak resident memory
 * as JSON.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { peakResidentMiB } from "../machine/peak-memory.js";

export interface ClusterReport {
  /** Counts of the catalog and replicas; all 0 if files are only read. */
  readonly found: {
    readonly tables: number;
    readonly tablets: number;
    /** Without tombstones. */
    readonly replicas: number;
    readonly tombstones: number;
    /** Replicas that lack operations of the chosen one. */
    readonly behind: number;
  };
  readonly bytes: number;
  readonly milliseconds: number;
  readonly maxRssMiB: number;
}

type Outcome = Pick<ClusterReport, "found" | "bytes">;

/** Opens the catalog and chooses the replica to read for each tablet. */
async function choose(): Promise<(path: string) => Promise<Outcome>> {
  const { openKuduCluster } = await import("@cfile/kudu-dir");
  const { diskTree } = await import("@cfile/io/file");
  return async (path) => {
    // As the command does; `readFiles` also blocks the thread.
    await using cluster = await openKuduCluster(await diskTree(path, { blocking: true }));
    const catalog = await cluster.catalog();
    const tablets = await cluster.replicaSets();
    let tombstones = 0;
    let replicas = 0;
    let behind = 0;
    for (const { replicas: all, readable, problems } of tablets.map((tablet) => ({
      ...tablet,
      problems: tablet.readable.flatMap((replica) => replica.problems),
    }))) {
      if (problems.length > 0) {
        throw problems[0];
      }
      tombstones += all.filter(({ tablet }) => tablet.state === "tombstoned").length;
      replicas += readable.length;
      const last = readable[0]?.lastOperation?.index;
      behind += readable.filter(({ lastOperation }) => lastOperation?.index !== last).length;
    }
    const tables = catalog?.tables.size ?? 0;
    return { found: { tables, tablets: tablets.length, replicas, tombstones, behind }, bytes: 0 };
  };
}

/** Reads all files except block data, once each. */
function readFiles(path: string): Outcome {
  let bytes = 0;
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && !entry.name.endsWith(".data")) {
      bytes += readFileSync(join(entry.parentPath, entry.name)).length;
    }
  }
  return { found: { tables: 0, tablets: 0, replicas: 0, tombstones: 0, behind: 0 }, bytes };
}

const [task = "", path = ""] = process.argv.slice(2);
const run = task === "choose" ? await choose() : readFiles;
const start = performance.now();
const outcome = await run(path);
const milliseconds = performance.now() - start;
process.stdout.write(
  JSON.stringify({ ...outcome, milliseconds, maxRssMiB: await peakResidentMiB() } satisfies ClusterReport),
);
