/** The kind of a file, by its name and its first bytes. */
import { readdir } from "node:fs/promises";
import { CFileError, isCFileError } from "@cfile/bytes";
import { type ByteSource, readExactly, sizeOf } from "@cfile/io";
import { formOfName } from "../convert/table-form.js";
import type { InputSources } from "../options/input-sources.js";

export type FileKind = "cfile" | "hfile" | "parquet";

/** `PARE` if the footer is encrypted. */
const PARQUET_MAGIC = /^PAR[1E]/;
const CFILE_MAGIC = "kuducfl";

/** First bytes of formats that users mistake for CFiles, with advice. */
const OTHER_FORMATS: readonly (readonly [string, string])[] = [
  ["PAR1", "a Parquet file; use cfile inspect, cat, head, scan, convert, verify or recover"],
  ["ARROW1", "an Arrow file; use cfile convert"],
  ["DATABLK*", "an HFile; use cfile inspect, cat, get, find, verify or recover"],
  ["kuduwal", "a segment of a Kudu write-ahead log; use cfile kudu log with the server's directories"],
  ["kuducntr", "metadata of a Kudu server; use cfile kudu with the server's directories"],
  ["\u001f\u008b", "a gzip file; decompress it first"],
  ["PK\u0003\u0004", "a ZIP archive; extract it first"],
  ["\u0028\u00b5\u002f\u00fd", "a Zstandard file; decompress it first"],
  ["{", "JSON text; use cfile write or cfile convert"],
];

/** A file that cannot be read counts as a CFile: opening it reports the error. */
export async function fileKind(
  sources: InputSources,
  path: string,
  signal: AbortSignal | undefined,
): Promise<FileKind> {
  if (formOfName(path) === "parquet") {
    return "parquet";
  }
  try {
    const source = await sources.probe(path);
    try {
      const start = await firstBytes(source, CFILE_MAGIC.length, signal);
      if (start === CFILE_MAGIC) {
        return "cfile";
      }
      if (PARQUET_MAGIC.test(start)) {
        return "parquet";
      }
      const { isHFile } = await import("@cfile/hfile");
      return (await isHFile(source, { signal })) ? "hfile" : "cfile";
    } finally {
      await source.close?.();
    }
  } catch {
    signal?.throwIfAborted();
    return "cfile";
  }
}

/** The error of opening a file as a CFile, with the file's actual format. */
export async function withFoundFormat(error: unknown, source: ByteSource): Promise<unknown> {
  if (!isCFileError(error) || !(error.code === "E_CORRUPT" || error.code === "E_TRUNCATED")) {
    return error;
  }
  const start = await firstBytes(source, 16, undefined).catch(() => "");
  if (start.startsWith(CFILE_MAGIC)) {
    return error;
  }
  const found = OTHER_FORMATS.find(([magic]) => start.startsWith(magic))?.[1];
  return found === undefined ? error : new CFileError(error.code, `not a CFile, but ${found}`, error);
}

async function firstBytes(
  source: ByteSource,
  length: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const bytes = await readExactly(source, 0, Math.min(length, await sizeOf(source)), { signal });
  return String.fromCharCode(...bytes);
}

/** The error of opening a directory as a table store, in plain words when it is not one. */
export async function unknownDirectory(path: string, error: unknown): Promise<unknown> {
  const names = await readdir(path).catch((): string[] => []);
  if (names.includes("rowset.json")) {
    return error;
  }
  const hint = names.some((name) => formOfName(name) === "cfile")
    ? "give the .cfile files in it"
    : names.some((name) => /^(?:instance|data|wals|consensus-meta|tablet-meta)$/.test(name))
      ? "use cfile kudu for the directories of a Kudu server"
      : "expected a table store with rowset.json";
  return new CFileError("E_NOT_FOUND", `a directory without anything that cfile knows (${hint})`, {
    path,
    cause: error,
  });
}
