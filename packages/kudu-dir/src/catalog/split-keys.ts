/** Keys at which a tablet can be cut into parts with about as many rows each, for work side by side. */
import { compareBytes } from "@cfile/bytes";
import { openCFile } from "@cfile/format";
import type { RowSetReader } from "@cfile/rowset";
import { encodeRowKey } from "@cfile/rowset";
import type { KuduTablet } from "../read/kudu-tablet.js";

const SAMPLES_A_PART = 8;

interface Sample {
  readonly key: Uint8Array;
  /** Rows that it stands for. */
  readonly rows: number;
}

/**
 * Up to `parts` - 1 encoded keys, ascending: each part begins at one of them. A few blocks of the keys are read.
 *
 * @throws CFileError as `KuduTablet.scan`
 */
export async function splitKeys(tablet: KuduTablet, parts: number): Promise<readonly Uint8Array[]> {
  const samples: Sample[] = [];
  const readers = await Promise.all(tablet.rowSets.map((rowSet) => rowSet.open()));
  const total = readers.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const step = Math.max(1, Math.floor(total / (parts * SAMPLES_A_PART)));
  for (const reader of parts < 2 ? [] : readers) {
    samples.push(...(await samplesOf(reader, step)));
  }
  samples.sort((left, right) => compareBytes(left.key, right.key));
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

async function samplesOf(reader: RowSetReader, step: number): Promise<Sample[]> {
  const { schema, files, rowCount } = reader;
  const [first, ...others] = schema.columns.filter(({ isKey }) => isKey);
  const source = others.length > 0 ? files.adhocIndex : files.columns.get(first?.id ?? -1);
  if (source === undefined || rowCount === 0) {
    return [];
  }
  const file = await openCFile(source);
  const samples: Sample[] = [];
  for (let row = 0; row < rowCount; row += step) {
    for await (const batch of file.scan({ rows: { from: row, to: row + 1 } })) {
      const [cell = null] = batch.toArray({ strings: "bytes" });
      const key = others.length > 0 && cell instanceof Uint8Array ? cell : encodeRowKey(schema, [cell]);
      samples.push({ key, rows: Math.min(step, rowCount - row) });
    }
  }
  return samples;
}
