/**
 * The parts of a dataset in row order, each with one file per column: from a list of files, the `.cfile` files of a directory, or a
 * manifest:
 *
 * ```json
 * { "version": 1, "parts": [{ "rows": 1000, "columns": { "id": "0/id.cfile", "name": "0/name.cfile" } }] }
 * ```
 *
 * Paths in a manifest are relative to it; `rows` is optional.
 */
import { CFileError, corrupt, invalidArgument } from "@cfile/bytes";
import type { OpenCFileOptions } from "@cfile/format";
import { openSource, readExactly, type SourceInput, sizeOf } from "@cfile/io";
import { fileDirectory } from "@cfile/io/file";

/** A part of a dataset: one file per column, all with the same rows. */
export interface DatasetPart {
  /** In the order of the dataset's columns. */
  readonly files: readonly SourceInput[];
  /** Number of rows, if known before a file is opened. */
  readonly rows?: number | undefined;
}

/** The files of a dataset by column and part. */
export interface DatasetFiles {
  readonly columns: readonly string[];
  readonly parts: readonly DatasetPart[];
}

/** One file per column, by name; every part has the same names, in any order. */
export type PartInput = Readonly<Record<string, SourceInput>>;

/** A list of files of one column, or of parts; a directory; the path or URL of a manifest, which ends in `.json`. */
export type DatasetInput = string | URL | readonly SourceInput[] | readonly PartInput[];

type ManifestOptions = Pick<OpenCFileOptions, "file" | "http" | "s3" | "signal">;

/** Name of the only column when the input has no names. */
const ONLY_COLUMN = "value";
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

/**
 * Lists the files of a dataset. Opens a manifest, but no columns.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for parts with different columns; `E_CORRUPT`, `E_UNSUPPORTED`, `E_LIMIT` for an invalid
 *   manifest; `E_NOT_FOUND`, `E_IO` when a directory or manifest cannot be read
 */
export async function datasetFiles(
  input: DatasetInput,
  options: ManifestOptions = {},
): Promise<DatasetFiles> {
  if (typeof input !== "string" && !(input instanceof URL)) {
    return listedFiles(input);
  }
  const location = String(input);
  if (/\.json(?:[?#].*)?$/i.test(location)) {
    return parseManifest(await readManifest(location, options), location);
  }
  const directory = await fileDirectory(input);
  const names = (await directory.list()).filter((name) => name.endsWith(".cfile"));
  // Numeric order: `part-10` comes after `part-9`.
  // One collator for all comparisons: `localeCompare` makes one for each, which takes minutes for a million names.
  names.sort(new Intl.Collator("en", { numeric: true }).compare);
  const folder = `${location.replace(/\/*$/, "")}/`;
  return { columns: [ONLY_COLUMN], parts: names.map((name) => new FileOfFolder(folder, name)) };
}

/** A file of a folder. A million paths in lists would take twice the memory of the names. */
class FileOfFolder implements DatasetPart {
  private readonly folder: string;
  private readonly name: string;

  constructor(folder: string, name: string) {
    this.folder = folder;
    this.name = name;
  }

  get files(): readonly SourceInput[] {
    return [relativeTo(this.folder)(this.name)];
  }
}

function listedFiles(input: readonly (SourceInput | PartInput)[]): DatasetFiles {
  if (input.every((file): file is SourceInput => !isPartInput(file))) {
    return { columns: [ONLY_COLUMN], parts: input.map((file) => ({ files: [file] })) };
  }
  const columns = Object.keys(input[0] ?? {});
  const parts = input.map((part, i): DatasetPart => {
    const files = isPartInput(part) ? columns.flatMap((column) => part[column] ?? []) : [];
    if (files.length === 0 || files.length < columns.length || Object.keys(part).length > files.length) {
      throw invalidArgument(`part ${i} must have the columns of part 0: ${columns.join(", ")}`, {
        field: "parts",
      });
    }
    return { files };
  });
  return { columns, parts };
}

/** Sources have methods, and buffers have their own prototype; a part has only names and files. */
function isPartInput(input: SourceInput | PartInput): input is PartInput {
  return (
    typeof input === "object" &&
    Object.getPrototypeOf(input) === Object.prototype &&
    !Object.values(input).some((value) => typeof value === "function")
  );
}

async function readManifest(path: string, { signal, file, http, s3 }: ManifestOptions): Promise<string> {
  const source = await openSource(path, { file, http, s3 });
  try {
    const size = await sizeOf(source, { signal });
    if (size > MAX_MANIFEST_BYTES) {
      const reason = `manifest too large: ${size} bytes (maximum ${MAX_MANIFEST_BYTES})`;
      throw new CFileError("E_LIMIT", reason, { path, actual: size });
    }
    return new TextDecoder().decode(await readExactly(source, 0, size, { signal, field: "manifest" }));
  } finally {
    await source.close?.();
  }
}

function parseManifest(text: string, path: string): DatasetFiles {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (cause) {
    throw corrupt("manifest is not valid JSON", { path, cause });
  }
  const invalid = (field: string, actual: unknown): CFileError =>
    corrupt(`invalid ${field} in manifest: ${JSON.stringify(actual)}`, { path, field });
  const version = fieldOf(manifest, "version");
  if (version !== 1) {
    const reason = `unsupported manifest version (expected 1, found ${JSON.stringify(version)})`;
    throw new CFileError("E_UNSUPPORTED", reason, { path, field: "version" });
  }
  const parts = fieldOf(manifest, "parts");
  if (!Array.isArray(parts)) {
    throw invalid("parts", parts);
  }
  let columns: readonly string[] | undefined;
  const toFile = relativeTo(path);
  const found = parts.map((part: unknown, i): DatasetPart => {
    const field = `parts[${i}]`;
    const rows = fieldOf(part, "rows");
    const named = fieldOf(part, "columns");
    if (rows !== undefined && !(typeof rows === "number" && Number.isSafeInteger(rows) && rows >= 0)) {
      throw invalid(`${field}.rows`, rows);
    }
    const names =
      typeof named === "object" && named !== null && !Array.isArray(named) ? Object.keys(named) : [];
    columns ??= names;
    if (names.length === 0 || names.length !== columns.length) {
      throw invalid(`${field}.columns`, named);
    }
    const files = columns.map((column) => {
      const file = names.includes(column) ? fieldOf(named, column) : undefined;
      if (typeof file !== "string") {
        throw invalid(`${field}.columns.${column}`, file);
      }
      return toFile(file);
    });
    return { files, rows };
  });
  return { columns: columns ?? [ONLY_COLUMN], parts: found };
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
}

/** Locations of files relative to a manifest, or to a directory that ends in a slash. */
function relativeTo(location: string): (file: string) => string {
  const isUrl = (text: string): boolean => /^[a-z][a-z\d+.-]+:\/\//i.test(text);
  const folder = isUrl(location) ? undefined : location.slice(0, location.lastIndexOf("/") + 1);
  return (file) => {
    if (isUrl(file) || file.startsWith("/")) {
      return file;
    }
    return folder === undefined ? new URL(file, location).href : folder + file;
  };
}
