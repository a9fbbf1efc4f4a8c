/** Splits of HBase tables and snapshots, one per region. */
import type { BytesOrText, HBaseTable, RegionFiles } from "@cfile/hbase";
import { parseColumnSchema, resultColumns } from "@cfile/hbase/columns";
import type { RegionSplit } from "../lines/split.js";
import { digest, identifiedSplit } from "../lines/split-line.js";
import { unlessDamaged } from "./undamaged.js";

/** The rows and columns of the splits, and where readers find the table. */
export interface RegionPlanOptions extends Pick<RegionSplit, "root" | "cells" | "withLog" | "timeRange"> {
  /** First row, inclusive. */
  readonly startRow?: BytesOrText | undefined;
  /** Row at which to end, exclusive. */
  readonly stopRow?: BytesOrText | undefined;
  /** The time by which cells expire. Default: the current time. */
  readonly now?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Plans a split per region, in order. The files of a damaged region are those that can be read.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for malformed `cells`; `E_CORRUPT` when no region has some of the rows
 */
export async function planRegions(table: HBaseTable, options: RegionPlanOptions): Promise<RegionSplit[]> {
  const { root, cells, withLog, timeRange, startRow, stopRow, now = Date.now(), signal } = options;
  const { snapshot, name } = table;
  const columns = resultColumns(parseColumnSchema(cells));
  const schema = columns.map((column, id) => ({ ...column, id, isKey: id === 0 }));
  const common = {
    kind: "hbase",
    schema,
    columns: schema.map((column) => column.name),
    where: [],
    ...{ root, cells, withLog, now, timeRange },
    ...(snapshot === undefined ? { table: name } : { snapshot: snapshot.name }),
  } as const;
  await using damaged = table.recovering();
  const splits: RegionSplit[] = [];
  for (const { region, from, to } of table.regionsOf({ startRow, stopRow })) {
    signal?.throwIfAborted();
    const { encodedName } = region;
    const files = (await unlessDamaged(() => table.files(encodedName))) ?? (await damaged.files(encodedName));
    const stored = files.reduce((total, { entries = 0 }) => total + entries, files.unflushed);
    const content = {
      ...common,
      number: splits.length,
      rows: Math.ceil(stored / Math.max(1, columns.length - 1)),
      bytes: files.reduce((total, file) => total + file.bytes, 0),
      pieces: [{ region: encodedName, files: await filesDigest(files), from, to }],
    };
    splits.push(await identifiedSplit(content));
  }
  return splits;
}

/** A digest of the files and unflushed cells of a region. */
export function filesDigest(files: RegionFiles): Promise<string> {
  const lines = files.map(({ family, name, path, bytes }) => `${family} ${name} ${path} ${bytes}`).sort();
  return digest([`unflushed ${files.unflushed}`, ...lines].join("\n"));
}
