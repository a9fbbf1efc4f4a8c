/**
 * Names of data files (docs/spec/hudi-table.md#3-file-names).
 *
 * | file | name |
 * | --- | --- |
 * | base file | `FILEID_TOKEN_INSTANT.parquet`, or `.hfile` in metadata tables |
 * | log file | `.FILEID_TIME.log.VERSION_TOKEN`, with suffix `.cdc` for change data capture |
 */
import { compareText } from "../timeline/instant.js";

/** A base file, by its name. */
export interface BaseFile {
  readonly kind: "base";
  readonly name: string;
  readonly fileId: string;
  /** Requested time of the write. */
  readonly instant: string;
}

/** A log file, by its name. */
export interface LogFile {
  readonly kind: "log";
  readonly name: string;
  readonly fileId: string;
  /** Layout 2: the requested time of the write. Layout 1: the base instant of the slice. */
  readonly time: string;
  readonly version: number;
  readonly token: readonly number[];
  readonly suffix: string;
}

/** Parses a file name; `undefined` for other files. */
export function parseFileName(name: string): BaseFile | LogFile | undefined {
  const log = /^\.([^_]+)_(\d{14,20})\.log\.(\d{1,9})(?:_(\d{1,9}(?:-\d{1,9})*))?(\.cdc)?$/.exec(name);
  if (log !== null) {
    const [, fileId = "", time = "", version, token = "", suffix = ""] = log;
    return { kind: "log", name, fileId, time, version: Number(version), token: numbers(token), suffix };
  }
  const base = /^([^._][^_]*)_[\d-]+_(\d{14,20})\.(parquet|hfile|orc)$/.exec(name);
  if (base === null) {
    return undefined;
  }
  const [, fileId = "", instant = ""] = base;
  return { kind: "base", name, fileId, instant };
}

/** Orders log files by time, version, token and suffix. */
export function compareLogFiles(a: LogFile, b: LogFile): number {
  const byToken = (): number => {
    for (let i = 0; i < Math.max(a.token.length, b.token.length); i++) {
      const difference = (a.token[i] ?? -1) - (b.token[i] ?? -1);
      if (difference !== 0) {
        return difference;
      }
    }
    return 0;
  };
  return compareText(a.time, b.time) || a.version - b.version || byToken() || compareText(a.suffix, b.suffix);
}

function numbers(token: string): number[] {
  return token === "" ? [] : token.split("-").map(Number);
}
