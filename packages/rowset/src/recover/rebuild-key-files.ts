/**
 * Rebuilds the files of a DiskRowSet that hold only its keys: from the key columns, byte for byte as Kudu wrote them
 * (docs/spec/diskrowset.md#2-writer-options-per-file). A damaged Bloom file only reveals the size of its filters.
 */
import { type FoundBloomSizing, findBloomSizing } from "@cfile/bloomfile/recover";
import { BloomFileWriter, bloomSizingByBytes, type WrittenBloomFile } from "@cfile/bloomfile/write";
import { corrupt, invalidArgument, type Progress, withErrorContext } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { alignBatches } from "@cfile/encodings/batches";
import { type CFileReader, openCFile } from "@cfile/format";
import type { WrittenFile } from "@cfile/format/write";
import { type ByteSink, openSink, type SinkInput, type SourceInput } from "@cfile/io";
import { compareKeys, encodeRowKeys, keyAt, type RowKeys } from "../keys/row-keys.js";
import { addKeyBounds, adhocIndexWriter, keyValues } from "../write/adhoc-index.js";

/** Options for writing the new file. */
export interface RebuildOptions {
  /** Whether to sync the file to disk, as in `FileSinkOptions` of `@cfile/io`. Default `true`. */
  readonly sync?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch of keys. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Known properties of the filters. */
export interface RebuildBloomOptions extends RebuildOptions {
  /** The damaged Bloom file: the new filters get the size of its readable filters. Default: Kudu's size. */
  readonly like?: SourceInput | undefined;
  /** Fraction of absent keys that may get the answer "maybe". Default: the rate that the damaged file reveals, else 0.0001. */
  readonly falsePositiveRate?: number | undefined;
}

/** The new Bloom file, and where the size of its filters comes from. */
export interface RebuiltBloomFile extends WrittenBloomFile {
  readonly filterBytes: number;
  readonly sizingFrom: FoundBloomSizing["from"];
}

/**
 * Rebuilds a Bloom file.
 *
 * @param keys the key columns in the order of the key, or the ad-hoc index
 * @throws {CFileError} as `openCFile` and its scans for a damaged key column, which must be recovered first; `E_CORRUPT` for keys that
 *   do not ascend or columns of different lengths; `E_INVALID_ARGUMENT` for columns that cannot be keys; `E_IO`. The target is then
 *   unchanged
 */
export async function rebuildBloomFile(
  keys: readonly SourceInput[],
  target: SinkInput,
  options: RebuildBloomOptions = {},
): Promise<RebuiltBloomFile> {
  const { like, falsePositiveRate } = options;
  const { sizing, from } =
    like === undefined
      ? { sizing: bloomSizingByBytes(undefined, falsePositiveRate), from: "default" as const }
      : await findBloomSizing(like, { falsePositiveRate, signal: options.signal });
  return withKeys(keys, options, async (batches) =>
    withSink(target, options, async (sink) => {
      const writer = new BloomFileWriter(sink, { sizing });
      for await (const batch of batches) {
        await writer.appendMany(batch);
      }
      return { ...(await writer.finish()), filterBytes: sizing.filterBytes, sizingFrom: from };
    }),
  );
}

/**
 * Rebuilds the index of keys of several columns.
 *
 * @param keys the key columns in the order of the key
 * @throws {CFileError} as {@link rebuildBloomFile}
 */
export async function rebuildAdhocIndex(
  keys: readonly SourceInput[],
  target: SinkInput,
  options: RebuildOptions = {},
): Promise<WrittenFile> {
  if (keys.length < 2) {
    throw invalidArgument("an ad-hoc index has keys of several columns", {
      field: "keys",
      actual: keys.length,
    });
  }
  return withKeys(keys, options, async (batches) =>
    withSink(target, options, async (sink) => {
      const writer = adhocIndexWriter(sink, {});
      let rows = 0;
      let minKey: Uint8Array | undefined;
      let maxKey: Uint8Array | undefined;
      for await (const batch of batches) {
        await writer.append(keyValues(batch, rows));
        rows += batch.length;
        minKey ??= keyAt(batch, 0);
        maxKey = keyAt(batch, batch.length - 1);
      }
      if (minKey !== undefined && maxKey !== undefined) {
        addKeyBounds(writer, minKey, maxKey);
      }
      return writer.finish();
    }),
  );
}

async function withKeys<T>(
  inputs: readonly SourceInput[],
  options: RebuildOptions,
  use: (keys: AsyncIterable<RowKeys>) => Promise<T>,
): Promise<T> {
  if (inputs.length === 0) {
    throw invalidArgument("no key columns", { field: "keys", actual: 0 });
  }
  const files: CFileReader[] = [];
  try {
    for (const input of inputs) {
      files.push(await openCFile(input, { signal: options.signal }));
    }
    return await use(ascendingKeys(files, options));
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

async function* ascendingKeys(
  files: readonly CFileReader[],
  { signal, onProgress }: RebuildOptions,
): AsyncGenerator<RowKeys, void, void> {
  const total = files[0]?.rowCount ?? 0;
  const scans = files.map((file, i) => [`${i}`, file.scan({ signal })] as const);
  let last: RowKeys | undefined;
  let rows = 0;
  for await (const { columns, length } of alignBatches(Object.fromEntries(scans))) {
    const keys = withErrorContext({ path: files[0]?.path }, () =>
      encodeRowKeys(files.map((_, i) => columns[`${i}`] as ColumnBatch)),
    );
    for (let row = 0; row < length; row++) {
      const order =
        row > 0
          ? compareKeys(keys, row - 1, keys, row)
          : last
            ? compareKeys(last, last.length - 1, keys, 0)
            : -1;
      if (order >= 0) {
        const reason = `the key of row ${rows + row} is not greater than the previous key`;
        throw corrupt(reason, { path: files[0]?.path, field: "key", actual: rows + row });
      }
    }
    yield keys;
    last = keys;
    rows += length;
    onProgress?.({ done: rows, total });
  }
}

async function withSink<T>(
  target: SinkInput,
  { sync }: RebuildOptions,
  write: (sink: ByteSink) => Promise<T>,
): Promise<T> {
  const sink = await openSink(target, { sync });
  try {
    return await write(sink);
  } catch (error) {
    await sink.abort(error);
    throw error;
  }
}
