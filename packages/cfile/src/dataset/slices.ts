/** Slices of a dataset for independent readers: in another thread, process or machine. */
import { invalidArgument } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { type CFileReader, openCFile } from "@cfile/format";
import { type ByteSource, type OpenSourceOptions, openSource } from "@cfile/io";
import { type PartScanOptions, scanPart } from "./scan-part.js";

/** A slice of a dataset: only plain values, so that it can be sent as JSON. */
export interface DatasetSlice {
  /** Path or URL of each column's file. */
  readonly files: readonly string[];
  readonly columns: readonly string[];
  /** Rows of the files, `from` (inclusive) to `to` (exclusive), cut at data blocks of the largest file. */
  readonly rows: { readonly from: number; readonly to: number };
  /** Data blocks of the largest file, counted from 0; missing when the slice is a whole part. */
  readonly blocks?: { readonly from: number; readonly to: number };
  /** Number of the first row in the dataset. */
  readonly firstRow: number;
  /** Approximate stored size in bytes. */
  readonly bytes: number;
}

/** The size of slices. */
export interface SlicesOptions {
  /** Approximate stored bytes per slice; data blocks are never split. Default 64 MiB. */
  readonly targetBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The options of `Dataset.scan` that apply to one slice. */
export interface ScanSliceOptions extends OpenSourceOptions, PartScanOptions {
  /** Opens a file of the slice. Default: `openSource`. */
  readonly open?: ((file: string) => Promise<ByteSource>) | undefined;
}

const DEFAULT_TARGET = 64 * 1024 * 1024;

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless `targetBytes` is greater than 0 */
export function targetOf({ targetBytes = DEFAULT_TARGET }: SlicesOptions): number {
  if (!(targetBytes > 0)) {
    throw invalidArgument(`invalid targetBytes: ${targetBytes} (must be a number > 0)`, {
      field: "targetBytes",
    });
  }
  return targetBytes;
}

/** The slices of a part. */
export async function slicesOfPart(
  readers: readonly CFileReader[],
  part: Pick<DatasetSlice, "files" | "columns" | "firstRow">,
  options: SlicesOptions,
): Promise<DatasetSlice[]> {
  const target = targetOf(options);
  const total = readers.reduce((sum, { structure }) => sum + structure.fileSize, 0);
  const largest = readers.reduce((a, b) => (b.structure.fileSize > a.structure.fileSize ? b : a));
  const { rowCount } = largest;
  if (rowCount === 0) {
    return [];
  }
  const isSmall = total <= target;
  const entries = isSmall ? undefined : (await largest.layout({ signal: options.signal })).posidx?.entries;
  if (entries === undefined) {
    return [{ ...part, rows: { from: 0, to: rowCount }, bytes: total }];
  }
  // Assumes that the bytes of other columns are distributed like those of the largest.
  const weight = total / largest.structure.fileSize;
  const slices: DatasetSlice[] = [];
  let start = 0;
  let bytes = 0;
  for (const [i, { size }] of entries.entries()) {
    bytes += size * weight;
    const isLast = i + 1 === entries.length;
    if (bytes >= target || isLast) {
      const from = firstRowOf(entries[start]?.key);
      const rows = { from, to: isLast ? rowCount : firstRowOf(entries[i + 1]?.key) };
      const blocks = { from: start, to: i + 1 };
      slices.push({ ...part, rows, blocks, firstRow: part.firstRow + from, bytes: Math.round(bytes) });
      start = i + 1;
      bytes = 0;
    }
  }
  return slices;
}

/** A key of the positional index: the row as a big-endian 32-bit integer. */
function firstRowOf(key: Uint8Array | undefined): number {
  return key === undefined ? 0 : new DataView(key.buffer, key.byteOffset, 4).getUint32(0);
}

/**
 * Yields the rows of a slice; opens and closes its files.
 *
 * @throws {CFileError} as `openCFile` and `CFileReader.scan`
 */
export async function* scanSlice(
  slice: DatasetSlice,
  {
    file,
    http,
    s3,
    open = (path) => openSource(path, { file, http, s3 }),
    ...options
  }: ScanSliceOptions = {},
): AsyncGenerator<TableBatch, void, void> {
  const { files, columns, rows, firstRow } = slice;
  const sources: ByteSource[] = [];
  const readers: CFileReader[] = [];
  try {
    for (const path of files) {
      const source = await open(path);
      sources.push(source);
      readers.push(await openCFile(source, { signal: options.signal }));
    }
    yield* scanPart({ readers, columns, firstRow: firstRow - rows.from }, rows, options);
  } finally {
    await Promise.all(sources.map((source) => source.close?.()));
  }
}
