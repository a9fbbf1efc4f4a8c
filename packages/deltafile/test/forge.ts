/** Delta files with any values and statistics, valid or not. */
import { fromHex } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { DELTA_INDEX_KEYS } from "@cfile/format";
import { CFileWriter, type WriterOptions } from "@cfile/format/write";
import { memorySink, memorySource } from "@cfile/io";
import type { ChangeType } from "../src/index.js";
import { type DeltaBatch, type DeltaFileReader, openDeltaFile } from "../src/read.js";
import {
  DeltaFileWriter,
  type DeltaStatistics,
  type DeltaWriterOptions,
  encodeDeltaStats,
} from "../src/write.js";

export type Entry = readonly [row: number, timestamp: bigint, type: ChangeType, mutations?: Uint8Array];

/** A mutation in hexadecimal: column 1 is set to the byte 7. */
export const SET = fromHex("010207");

/** The file that the writer produces from the entries. */
export async function deltaFile(
  kind: "redo" | "undo",
  entries: readonly Entry[],
  options: Partial<DeltaWriterOptions> = {},
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new DeltaFileWriter(sink, { kind, ...options });
  for (const [row, timestamp, type, mutations] of entries) {
    await writer.append(row, timestamp, type, mutations ?? (type === 2 ? new Uint8Array(0) : SET));
  }
  await writer.finish();
  return sink.bytes();
}

export const NO_STATISTICS: DeltaStatistics = {
  minTimestamp: 0n,
  maxTimestamp: 0xffff_ffff_ffff_ffffn,
  deleteCount: 0,
  reinsertCount: 0,
  updateCounts: new Map(),
};

/** A CFile that looks like a delta file, with any values, in hexadecimal. */
export async function forgedFile(
  values: readonly string[],
  statistics: DeltaStatistics = NO_STATISTICS,
  options: Partial<WriterOptions> = {},
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, {
    type: "BINARY",
    encoding: "PLAIN_ENCODING",
    posidx: false,
    validx: true,
    optimizeIndexKeys: false,
    // Values that are not deltas have no keys to check.
    indexKeys: { ...DELTA_INDEX_KEYS, orderedKeyEnd: (_bytes, start) => start },
    footerMetadata: [{ key: "deltafilestats", value: encodeDeltaStats(statistics) }],
    ...options,
  });
  await writer.append(
    batchFromValues(
      { type: "BINARY" },
      values.map((hex) => fromHex(hex)),
    ),
  );
  await writer.finish();
  return sink.bytes();
}

export const openBytes = (bytes: Uint8Array): Promise<DeltaFileReader> =>
  openDeltaFile(memorySource(bytes, "deltas"));

/** Entries as text: `row@timestamp type mutations`. */
export function shown(batch: DeltaBatch): string[] {
  return Array.from({ length: batch.length }, (_, i) => {
    const mutations = Buffer.from(batch.data.subarray(batch.offsets[i], batch.offsets[i + 1]));
    return `${batch.rows[i]}@${batch.timestamps[i]} ${batch.types[i]} ${mutations.toString("hex")}`.trim();
  });
}

export async function allShown(
  reader: DeltaFileReader,
  options: Parameters<DeltaFileReader["entries"]>[0] = {},
): Promise<string[]> {
  const entries: string[] = [];
  for await (const batch of reader.entries(options)) {
    entries.push(...shown(batch));
  }
  return entries;
}
