/**
 * Counts features that occurred in the files and log of a server: column types with their encodings, codecs, kinds
 * of maintenance.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isCFileError } from "@cfile/bytes";
import { openCFile } from "@cfile/format";
import type { KuduDir } from "@cfile/kudu-dir";
import { type Coverage, noneOf } from "../coverage.js";
import type { KuduOptions } from "./kudu-server.js";

const NUMBERS = ["PLAIN_ENCODING", "BIT_SHUFFLE", "RLE"];
const DECIMALS = ["PLAIN_ENCODING", "BIT_SHUFFLE"];
const TEXTS = ["PLAIN_ENCODING", "PREFIX_ENCODING", "DICT_ENCODING"];
/** All types that Kudu's client can create. */
const ENCODINGS: Readonly<Record<string, readonly string[]>> = {
  BOOL: ["PLAIN_ENCODING", "RLE"],
  INT8: NUMBERS,
  INT16: NUMBERS,
  INT32: NUMBERS,
  INT64: NUMBERS,
  UNIXTIME_MICROS: NUMBERS,
  DATE: NUMBERS,
  FLOAT: DECIMALS,
  DOUBLE: DECIMALS,
  DECIMAL32: DECIMALS,
  DECIMAL64: DECIMALS,
  DECIMAL128: DECIMALS,
  STRING: TEXTS,
  VARCHAR: TEXTS,
  BINARY: TEXTS,
};
const CODECS = ["NO_COMPRESSION", "SNAPPY", "LZ4", "ZLIB"];
const OPERATIONS = {
  FlushMRSOp: "flush of memory",
  FlushDeltaMemStoresOp: "flush of deltas",
  MinorDeltaCompactionOp: "minor delta compaction",
  MajorDeltaCompactionOp: "major delta compaction",
  CompactRowSetsOp: "merge compaction",
  UndoDeltaBlockGCOp: "collection of UNDO blocks",
  DeletedRowsetGCOp: "collection of deleted row sets",
};

/** In the files of all columns, including dropped ones. */
export async function fileCoverage(dir: KuduDir): Promise<Coverage> {
  const pairs = Object.entries(ENCODINGS).flatMap(([type, names]) => names.map((name) => `${type} ${name}`));
  const columns = noneOf(pairs);
  const codecs = noneOf(CODECS);
  for (const tablet of await dir.tablets()) {
    const types = new Map(tablet.schema.columns.map(({ id, type }) => [id, type]));
    for (const rowSet of tablet.rowSets) {
      const files = await rowSet.files();
      for (const [id, source] of files.columns) {
        try {
          const { type, encoding, compression } = await openCFile(source);
          const pair = `${types.get(id) ?? type} ${encoding}`;
          columns[pair] = (columns[pair] ?? 0) + 1;
          codecs[compression] = (codecs[compression] ?? 0) + 1;
        } catch (error) {
          // The comparison reports it.
          if (!isCFileError(error)) {
            throw error;
          }
        }
      }
    }
  }
  return { "columns by type and encoding": columns, "columns by codec": codecs };
}

/** How the server was configured and stopped. */
export function serverCoverage(
  { blockManager, encrypted }: Pick<KuduOptions, "blockManager" | "encrypted">,
  isKilled: boolean,
): Coverage {
  const kinds = noneOf(["log blocks", "file blocks", "encrypted", "not encrypted", "stopped", "killed"]);
  for (const kind of [
    `${blockManager} blocks`,
    encrypted ? "encrypted" : "not encrypted",
    isKilled ? "killed" : "stopped",
  ]) {
    kinds[kind] = 1;
  }
  return { servers: kinds };
}

/** Maintenance operations that the servers in a folder logged. */
export async function workCoverage(folder: string): Promise<Coverage> {
  const counts = noneOf(Object.values(OPERATIONS));
  const logs = join(folder, "ts-logs");
  const names = await readdir(logs).catch(() => []);
  for (const name of names.filter((one) => one.includes(".log.INFO."))) {
    const text = await readFile(join(logs, name), "utf8");
    for (const [operation, kind] of Object.entries(OPERATIONS)) {
      counts[kind] =
        (counts[kind] ?? 0) + text.split(new RegExp(`${operation}\\(\\w+\\) complete`)).length - 1;
    }
  }
  return { "maintenance operations": counts };
}
