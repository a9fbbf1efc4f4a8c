/**
 * The truth according to Kudu's client: the rows that tables may have, and what it read. Stored as JSON next to the directories of the
 * servers.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KuduVersion } from "../artifacts.js";

/** Name of the file with the truth. */
export const TRUTH = "truth.json";

/** A snapshot or a diff that the client read. */
interface ReadTruth {
  /** Start timestamp of the diff; `null` for a snapshot. */
  readonly from: string | null;
  /** Timestamp of the snapshot, or end of the diff. */
  readonly to: string;
  /** Names of the columns at that time. */
  readonly columns: readonly string[];
  /** Rows by tablet, in key order. */
  readonly rows: Readonly<Record<string, readonly string[]>>;
}

/** A table at the end of a round. */
export interface TableTruth {
  readonly name: string;
  readonly replicas: number;
  readonly keyCount: number;
  /** The current names of all columns. */
  readonly columns: readonly string[];
  /** Current names by any name that a column had; `null`: dropped. */
  readonly names: Readonly<Record<string, string | null>>;
  /** Possible rows by key; `null` for the absence of a row. */
  readonly allowed: Readonly<Record<string, readonly (string | null)[]>>;
  readonly read: readonly ReadTruth[];
}

export interface ClusterTruth {
  readonly seed: number;
  readonly version: KuduVersion;
  /** UUID of each tablet server, by the name of its folder. */
  readonly servers: Readonly<Record<string, string>>;
  readonly masters: readonly string[];
  readonly hasMockClock: boolean;
  readonly tables: readonly TableTruth[];
  /** Output of `kudu table describe` before the end, by table name. */
  readonly described: Readonly<Record<string, string>>;
  /** Output of `kudu table list` before the end, as JSON with tablets and partitions. */
  readonly listed: string;
}

export async function saveTruth(folder: string, truth: ClusterTruth): Promise<void> {
  await writeFile(join(folder, TRUTH), JSON.stringify(truth));
}

export async function savedTruth(folder: string): Promise<ClusterTruth> {
  return JSON.parse(await readFile(join(folder, TRUTH), "utf8"));
}
