/** Forms of tables, told by an option or by the ending of a name. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../program/exit-code.js";

export const TABLE_FORMS = ["csv", "ndjson", "cfile", "rowset", "arrow", "arrows", "parquet"] as const;
/** `arrow` and `arrows` are the file and the stream of Arrow IPC. */
export type TableForm = (typeof TABLE_FORMS)[number];

const ENDINGS: readonly (readonly [RegExp, TableForm])[] = [
  [/\.csv$/i, "csv"],
  [/\.(?:ndjson|jsonl)$/i, "ndjson"],
  [/\.cfile$/i, "cfile"],
  [/\.(?:arrow|feather)$/i, "arrow"],
  [/\.arrows$/i, "arrows"],
  [/\.parquet$/i, "parquet"],
  [/(?:^|[\\/])rowset\.json$/i, "rowset"],
];

/** The form that a name tells, queries of URLs left out. */
export function formOfName(name: string): TableForm | undefined {
  const path = /^https?:/i.test(name) ? (name.split(/[?#]/)[0] ?? name) : name;
  return ENDINGS.find(([ending]) => ending.test(path))?.[1];
}

/** The form of a source. Folders are row sets, or have a CFile for each column. */
export async function formOfSource(name: string): Promise<TableForm> {
  const told = formOfName(name);
  if (told !== undefined) {
    return told;
  }
  if (await isFolder(name)) {
    return (await readdir(name)).includes("rowset.json") ? "rowset" : "cfile";
  }
  throw new UsageError(`${name}: its ending tells no form; --from is needed: ${TABLE_FORMS.join(", ")}`);
}

/** The form of a target. A name that ends in `/` is a folder of CFiles. */
export function formOfTarget(name: string): TableForm {
  const told = formOfName(name) ?? (/[\\/]$/.test(name) ? "cfile" : undefined);
  if (told === undefined) {
    throw new UsageError(`${name}: its ending tells no form; --to is needed: ${TABLE_FORMS.join(", ")}`);
  }
  return told;
}

/** CFiles of a folder, or the file itself. */
export async function cfilesAt(name: string): Promise<string[]> {
  if (!(await isFolder(name))) {
    return [name];
  }
  const files = (await readdir(name)).filter((file) => formOfName(file) === "cfile").sort();
  if (files.length === 0) {
    throw new UsageError(`${name}: neither a row set nor a folder of CFiles`);
  }
  return files.map((file) => join(name, file));
}

async function isFolder(name: string): Promise<boolean> {
  try {
    return (await stat(name)).isDirectory();
  } catch {
    // What is not there, or is a URL, is for the opening of files to tell.
    return false;
  }
}
