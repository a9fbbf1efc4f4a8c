/**
 * What a dataset is made of: parts, one after the other in row order, each with a file for every column. They come from a list
 * of files, from the `.cfile` files of a directory, or from a manifest:
 *
 * ```json
 * { "version": 1, "parts": [{ "rows": 1000, "columns": { "id": "0/id.cfile", "name": "0/name.cfile" } }] }
 * ```
 *
 * Files of a manifest are relative to it; `rows` may be missing.
 */
import { CFileError, invalidArgument } from "@cfile/bytes";
import { type OpenSourceOptions, openSource, readExactly, type SourceInput, sizeOf } from "@cfile/io";
import { fileDirectory } from "@cfile/io/file";

/** A part of a dataset: one file for each column, all with the same rows. */
export interface DatasetPart {
  /** The file of each column, in the order of the dataset's columns. */
  readonly files: readonly SourceInput[];
  /** Where it is known before a file is opened. */
  readonly rows?: number | undefined;
}

/** The files of a dataset by column and part. */
export interface DatasetFiles {
  readonly columns: readonly string[];
  readonly parts: readonly DatasetPart[];
}

/** A file for each column, by its name: the same names in each part, in any order. */
export type PartInput = Readonly<Record<string, SourceInput>>;

/** A list of files of one column, or of parts; a directory; the path or URL of a manifest, which ends in `.json`. */
export type DatasetInput = string | URL | readonly SourceInput[] | readonly PartInput[];

/** The column's name where there is only one and nobody names it. */
const ONLY_COLUMN = "value";
const MAX_MANIFEST = 64 * 1024 * 1024;

/**
 * The files of a dataset. Only a manifest is opened, no column.
 *
 * @throws CFileError as `openDataset`, for lists, directories and manifests that are none
 */
export async function datasetFiles(
  input: DatasetInput,
  options: OpenSourceOptions & { readonly signal?: AbortSignal | undefined } = {},
): Promise<DatasetFiles> {
  if (typeof input !== "string" && !(input instanceof URL)) {
    return listedFiles(input);
  }
  const location = String(input);
  if (/\.json(?:[?#].*)?$/i.test(location)) {
    return manifestFiles(location, options);
  }
  const directory = await fileDirectory(input);
  const names = (await directory.list()).filter((name) => name.endsWith(".cfile")).sort(inNumericOrder);
  return {
    columns: [ONLY_COLUMN],
    parts: names.map((name) => ({ files: [relativeTo(`${location.replace(/\/*$/, "")}/`, name)] })),
  };
}

function listedFiles(input: readonly (SourceInput | PartInput)[]): DatasetFiles {
  if (!input.some(isPartInput)) {
    return { columns: [ONLY_COLUMN], parts: input.map((file) => ({ files: [file as SourceInput] })) };
  }
  const [first = {}] = input;
  const columns = Object.keys(first);
  const parts = input.map((part, i): DatasetPart => {
    const files = isPartInput(part) ? columns.map((column) => part[column]) : [];
    const present = files.filter((file) => file !== undefined);
    if (
      columns.length === 0 ||
      present.length < columns.length ||
      Object.keys(part).length > columns.length
    ) {
      throw invalidArgument(`part ${i} has not the columns of the first: ${columns.join(", ")}`, {
        field: "parts",
      });
    }
    return { files: present };
  });
  return { columns, parts };
}

/** Sources have methods, and buffers a prototype of their own; a part is nothing but names and files. */
function isPartInput(input: SourceInput | PartInput): input is PartInput {
  return (
    typeof input === "object" &&
    Object.getPrototypeOf(input) === Object.prototype &&
    !Object.values(input).some((value) => typeof value === "function")
  );
}

/** `part-10` comes behind `part-9`. */
function inNumericOrder(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

async function manifestFiles(
  location: string,
  { signal, ...options }: NonNullable<Parameters<typeof datasetFiles>[1]>,
): Promise<DatasetFiles> {
  const source = await openSource(location, options);
  try {
    const size = await sizeOf(source, { signal });
    if (size > MAX_MANIFEST) {
      throw new CFileError("E_LIMIT", `a manifest of ${size} bytes`, { path: location, actual: size });
    }
    const text = new TextDecoder().decode(await readExactly(source, 0, size, { signal, field: "manifest" }));
    return parseManifest(text, location);
  } finally {
    await source.close?.();
  }
}

function parseManifest(text: string, location: string): DatasetFiles {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    throw new CFileError("E_CORRUPT", "the manifest is no JSON", { path: location, cause: error });
  }
  const wrong = (field: string, actual: unknown): CFileError =>
    new CFileError("E_CORRUPT", `the manifest's ${field} is ${JSON.stringify(actual)}`, {
      path: location,
      field,
    });
  const version = fieldOf(manifest, "version");
  if (version !== 1) {
    throw new CFileError("E_UNSUPPORTED", `a manifest of version ${JSON.stringify(version)}`, {
      path: location,
      field: "version",
    });
  }
  const parts = fieldOf(manifest, "parts");
  if (!Array.isArray(parts)) {
    throw wrong("parts", parts);
  }
  let columns: readonly string[] | undefined;
  const found = parts.map((part: unknown, i): DatasetPart => {
    const rows = fieldOf(part, "rows");
    const named = fieldOf(part, "columns");
    if (rows !== undefined && !(typeof rows === "number" && Number.isSafeInteger(rows) && rows >= 0)) {
      throw wrong(`parts[${i}].rows`, rows);
    }
    if (typeof named !== "object" || named === null || Array.isArray(named)) {
      throw wrong(`parts[${i}].columns`, named);
    }
    columns ??= Object.keys(named);
    if (columns.length === 0 || Object.keys(named).length !== columns.length) {
      throw wrong(`parts[${i}].columns`, named);
    }
    const files = columns.map((column) => {
      const file = Object.hasOwn(named, column) ? fieldOf(named, column) : undefined;
      if (typeof file !== "string") {
        throw wrong(`parts[${i}].columns.${column}`, file);
      }
      return relativeTo(location, file);
    });
    return { files, rows };
  });
  return { columns: columns ?? [ONLY_COLUMN], parts: found };
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
}

/** The file as seen from the manifest, or from the directory when that ends in a slash. */
function relativeTo(location: string, file: string): string {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(file) || file.startsWith("/")) {
    return file;
  }
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(location)) {
    return new URL(file, location).href;
  }
  return location.slice(0, location.lastIndexOf("/") + 1) + file;
}
