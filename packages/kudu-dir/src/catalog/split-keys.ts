/** Keys that divide a tablet into parts with about the same number of rows, for parallel work. */
import { compareBytes, MemoryArena } from "@cfile/bytes";
import { type CFileReader, openCFile } from "@cfile/format";
import type { ByteSource } from "@cfile/io";
import type { RowSetReader } from "@cfile/rowset";
import { encodeRowKey } from "@cfile/rowset";
import { mapAtOnce } from "../blocks/at-once.js";
import type { KuduTablet } from "../read/kudu-tablet.js";

const SAMPLES_PER_PART = 8;
/** Samples from an index are this many times closer to each other: they take no more reads. */
const MORE_SAMPLES = 8;

interface Sample {
  readonly key: Uint8Array;
  /** Number of rows that it represents. */
  readonly rows: number;
}

/**
 * Up to `parts - 1` encoded keys, ascending; each is at or before the first key of a part and after all keys of the part before. It may
 * be a prefix of a key. Reads the indexes of the keys, and a few of their blocks if these have many rows.
 *
 * @throws {CFileError} as `KuduTablet.scan`
 */
export async function splitKeys(tablet: KuduTablet, parts: number): Promise<readonly Uint8Array[]> {
  const readers = await Promise.all(tablet.rowSets.map((rowSet) => rowSet.open()));
  const total = readers.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const step = Math.max(1, Math.floor(total / (parts * SAMPLES_PER_PART)));
  const sampled = parts < 2 ? [] : await mapAtOnce(readers, (reader) => samplesOf(reader, step));
  const samples = sampled.flat().sort((left, right) => compareBytes(left.key, right.key));
  const keys: Uint8Array[] = [];
  let rows = 0;
  for (const sample of samples) {
    if (rows >= ((keys.length + 1) * total) / parts && keys.length < parts - 1) {
      const last = keys.at(-1);
      if (last === undefined || compareBytes(last, sample.key) < 0) {
        keys.push(sample.key);
      }
    }
    rows += sample.rows;
  }
  return keys;
}

async function samplesOf({ schema, files, rowCount, minKey }: RowSetReader, step: number): Promise<Sample[]> {
  const keys = schema.columns.flatMap(({ id, isKey }) => (isKey ? [files.columns.get(id)] : []));
  const isComposite = keys.length > 1;
  // A row set without this file cannot be opened. A reader of its own, whose index blocks do not stay in memory.
  const file = await openCFile((isComposite ? files.adhocIndex : keys[0]) as ByteSource);
  const known = await indexSamples(file, minKey, step);
  if (known !== undefined) {
    return known;
  }
  const arena = new MemoryArena();
  const samples: Sample[] = [];
  for (let row = 0; row < rowCount; row += step) {
    for await (const batch of file.scan({ rows: { from: row, to: row + 1 }, arena })) {
      const [cell = null] = batch.toArray({ strings: "bytes" });
      const key = isComposite && cell instanceof Uint8Array ? cell.slice() : encodeRowKey(schema, [cell]);
      samples.push({ key, rows: Math.min(step, rowCount - row) });
    }
  }
  return samples;
}

/**
 * First keys of blocks, at least `step / MORE_SAMPLES` rows apart, from the indexes alone; `undefined` without a value index and for larger
 * blocks. The keys in a value index may be cut (docs/spec/cfile.md#73-separating-keys), the first one to a single byte. Without a
 * positional index, as in an ad-hoc index, all blocks count as equally large.
 */
async function indexSamples(
  file: CFileReader,
  minKey: Uint8Array,
  step: number,
): Promise<Sample[] | undefined> {
  const { validx } = await file.layout();
  if (validx === undefined) {
    return undefined;
  }
  const { entries } = validx;
  const blocks = await file.listDataBlocks();
  const firstRow = (i: number): number =>
    blocks[i]?.firstRow ?? Math.round((i * file.rowCount) / entries.length);
  if (entries.some((_, i) => firstRow(i + 1) - firstRow(i) > step)) {
    return undefined;
  }
  const chosen: number[] = [];
  for (const i of entries.keys()) {
    const last = chosen.at(-1);
    if (last === undefined || firstRow(i) - firstRow(last) >= step / MORE_SAMPLES) {
      chosen.push(i);
    }
  }
  return chosen.map((i, n) => {
    // Not a view of its index block, which would stay in memory.
    const key = i === 0 ? minKey : (entries[i]?.key.slice() ?? minKey);
    return { key, rows: firstRow(chosen[n + 1] ?? entries.length) - firstRow(i) };
  });
}
