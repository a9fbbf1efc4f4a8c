/** Pieces of a dataset for readers that work on their own: in another thread, process or machine. */

import { invalidArgument } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { type CFileReader, openCFile } from "@cfile/format";
import { type ByteSource, type OpenSourceOptions, openSource } from "@cfile/io";

import { type PartScanOptions, scanPart } from "./scan-part.js";

/** A piece of work, of nothing but plain values: it can be sent as JSON. */
export interface DatasetSlice {
  /** Path or URL of each column's file. */
  readonly files: readonly string[];
  readonly columns: readonly string[];
  /** Rows of the files, `from` (inclusive) to `to` (exclusive); they begin and end with data blocks of the largest file. */
  readonly rows: { readonly from: number; readonly to: number };
  /** Data blocks of the largest file, counted from 0; missing where the slice is a whole part. */
  readonly blocks?: { readonly from: number; readonly to: number };
  /** Number of the first row in the dataset. */
  readonly firstRow: number;
  /** About how many stored bytes it has. */
  readonly bytes: number;
}

/** How large the slices of a dataset are. */
export interface SlicesOptions {
  /** Stored bytes of a slice, about; a data block is never divided. Default 64 MiB. */
  readonly targetBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What `Dataset.scan` can be asked, of one slice. */
export interface ScanSliceOptions extends OpenSourceOptions, PartScanOptions {
  /** Opens the files, where paths and URLs are not to be opened as they are. */
  readonly open?: ((file: string) => Promise<ByteSource>) | undefined;
}

const DEFAULT_TARGET = 64 * 1024 * 1024;

/** @throws CFileError `E_INVALID_ARGUMENT` when `targetBytes` is no number above 0 */
export function targetOf({ targetBytes = DEFAULT_TARGET }: SlicesOptions): number {
  if (!(targetBytes > 0)) {
    throw invalidArgument(`targetBytes is no number of bytes: ${targetBytes}`, { field: "targetBytes" });
  }
  return targetBytes;
}

/** The slices of a part of which the files are open. */
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
  const whole: DatasetSlice = { ...part, rows: { from: 0, to: rowCount }, bytes: total };
  if (total <= target) {
    return [whole];
  }
  const entries = (await largest.layout({ signal: options.signal })).posidx?.entries;
  if (entries === undefined) {
    return [whole];
  }
  // Other columns count as if their bytes were spread like those of the largest.
  const weight = total / largest.structure.fileSize;
  const slices: DatasetSlice[] = [];
  let start = 0;
  let bytes = 0;
  for (const [i, { size }] of entries.entries()) {
    bytes += size * weight;
    const isLast = i + 1 === entries.length;
    if (bytes >= target || isLast) {
      const from = firstRowOf(entries[start]?.key);
      const to = isLast ? rowCount : firstRowOf(entries[i + 1]?.key);
      slices.push({
        ...part,
        rows: { from, to },
        blocks: { from: start, to: i + 1 },
        firstRow: part.firstRow + from,
        bytes: Math.round(bytes),
      });
      start = i + 1;
      bytes = 0;
    }
  }
  return slices;
}

/** A key of the positional index: the row as four bytes, most significant first. */
function firstRowOf(key: Uint8Array | undefined): number {
  return key === undefined ? 0 : new DataView(key.buffer, key.byteOffset, 4).getUint32(0);
}

/**
 * The rows of a slice: opens its files and closes them.
 *
 * @throws CFileError as `openCFile` and `CFileReader.scan` do
 */
export async function* scanSlice(
  slice: DatasetSlice,
  { http, s3, open = async (file) => openSource(file, { http, s3 }), ...options }: ScanSliceOptions = {},
): AsyncGenerator<TableBatch, void, void> {
  const { files, columns, rows, firstRow } = slice;
  const readers: CFileReader[] = [];
  try {
    for (const file of files) {
      readers.push(await openedCFile(await open(file), options.signal));
    }
    yield* scanPart({ readers, columns, firstRow: firstRow - rows.from }, rows, options);
  } finally {
    await Promise.all(readers.map((reader) => reader.close()));
  }
}

async function openedCFile(source: ByteSource, signal: AbortSignal | undefined): Promise<CFileReader> {
  try {
    return await openCFile(source, { signal });
  } catch (error) {
    await source.close?.();
    throw error;
  }
}
