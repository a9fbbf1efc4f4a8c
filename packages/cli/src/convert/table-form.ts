/** Formats of tables, by option or file extension. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../program/exit-code.js";
import { directoryAt } from "../table-store/table-path.js";

export const TABLE_FORMS = ["csv", "ndjson", "cfile", "rowset", "arrow", "arrows", "parquet"] as const;
/** `rowset` is a table store; `arrow` and `arrows` are the file and the stream of Arrow IPC. */
export type TableForm = (typeof TABLE_FORMS)[number];
/** Formats that are a single file. */
export type FileForm = Exclude<TableForm, "rowset" | "cfile">;

const EXTENSIONS: readonly (readonly [RegExp, TableForm])[] = [
  [/\.csv$/i, "csv"],
  [/\.(?:ndjson|jsonl)$/i, "ndjson"],
  [/\.cfile$/i, "cfile"],
  [/\.(?:arrow|feather)$/i, "arrow"],
  [/\.arrows$/i, "arrows"],
  [/\.parquet$/i, "parquet"],
  [/(?:^|[\\/])rowset\.json$/i, "rowset"],
];

/** The format of a file extension; the query of a URL is ignored. */
export function formOfName(name: string): TableForm | undefined {
  const path = /^https?:/i.test(name) ? (name.split(/[?#]/)[0] ?? name) : name;
  return EXTENSIONS.find(([extension]) => extension.test(path))?.[1];
}

/** The format of a source. Directories are table stores, or have a CFile per column. */
export async function formOfSource(name: string): Promise<TableForm> {
  const known = formOfName(name);
  if (known !== undefined) {
    return known;
  }
  if ((await directoryAt(name)) !== undefined) {
    return (await readdir(name)).includes("rowset.json") ? "rowset" : "cfile";
  }
  throw new UsageError(`unknown format of "${name}" (give --from: ${TABLE_FORMS.join(", ")})`);
}

/** The format of a target. A name that ends in `/` is a directory of CFiles. */
export function formOfTarget(name: string): TableForm {
  const known = formOfName(name) ?? (/[\\/]$/.test(name) ? "cfile" : undefined);
  if (known === undefined) {
    throw new UsageError(`unknown format of "${name}" (give --to: ${TABLE_FORMS.join(", ")})`);
  }
  return known;
}

/** The CFiles of a directory, or the file itself. */
export async function cfilesAt(name: string): Promise<string[]> {
  if ((await directoryAt(name)) === undefined) {
    return [name];
  }
  const files = (await readdir(name)).filter((file) => formOfName(file) === "cfile").sort();
  if (files.length === 0) {
    throw new UsageError(`${name}: neither a table store nor a directory of CFiles`);
  }
  return files.map((file) => join(name, file));
}
