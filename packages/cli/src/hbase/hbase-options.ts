/** Options of `cfile hbase`, and the root, table or snapshot that they name. */
import { fromHex } from "@cfile/bytes";
import type { ColumnName, HBaseRoot, HBaseTable, HBaseTableOptions } from "@cfile/hbase";
import { csvList, nameList } from "../options/csv-list.js";
import { wholeNumber } from "../options/option-values.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import {
  exclusive,
  flag,
  invalidValue,
  type Option,
  required,
  text,
  toggle,
  type Values,
  value,
} from "../program/option.js";

export const ROOT = required(text("ROOT", "root directory of HBase: path or URL; in S3, only snapshots"));

/** Options that select a table or snapshot. */
export const SOURCE = {
  table: text("NAME", "table, like users or namespace:users"),
  snapshot: text("NAME", "snapshot, instead of a table"),
  log: toggle("include unflushed cells from the write-ahead log; never for snapshots", "on"),
};

/** Options that select cells of a row. */
export const CELLS = {
  families: value("NAMES", "column families, separated by commas", nameList, "all"),
  columns: value("COLUMNS", "columns as FAMILY:HEX, separated by commas", columnList, "all"),
  versions: value("N", 'maximum number of versions of a column, or "all"', versionCount, "1"),
  timeRange: value("FROM:TO", "timestamps, TO exclusive, like 0:1700000000000", timeRange, "all"),
  now: value("MS", "time by which cells expire, milliseconds since 1970", wholeNumber, "the current time"),
};

export type CellValues = Values<typeof CELLS>;
export type SourceValues = Values<typeof SOURCE> & { readonly root: string };

export const RECOVER = flag("read on when files are damaged or missing, and report what is lost");

export const RAW = flag("print deleted cells and the markers that delete them");

/** A row or qualifier in hexadecimal digits. */
export function hexBytes(option: string, given: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/i.test(given)) {
    throw invalidValue(option, given, "must be pairs of hexadecimal digits");
  }
  return fromHex(given);
}

/** A column as FAMILY:HEX. */
export function column(option: string, given: string): ColumnName {
  const [, family, qualifier] = /^([^:]+):(.*)$/.exec(given) ?? [];
  if (family === undefined || qualifier === undefined) {
    throw invalidValue(
      option,
      given,
      "must be FAMILY:HEX, like cf:7131; cf: is the column without a qualifier",
    );
  }
  return { family, qualifier: hexBytes(option, qualifier) };
}

export const ROW = (summary: string): Option<Uint8Array | undefined> => value("HEX", summary, hexBytes);

function columnList(option: string, given: string): readonly ColumnName[] {
  return csvList(option, given).map((one) => column(option, one.trim()));
}

function versionCount(option: string, given: string): number | "all" {
  return given === "all" ? "all" : wholeNumber(option, given, 1);
}

function timeRange(option: string, given: string): { readonly from: bigint; readonly to: bigint } {
  const [, from, to] = /^(\d{0,19}):(\d{0,19})$/.exec(given) ?? [];
  const range = { from: BigInt(from || 0), to: to ? BigInt(to) : 2n ** 63n - 1n };
  if (from === undefined || range.from > range.to || range.to >= 2n ** 63n) {
    throw invalidValue(option, given, "must be FROM:TO in milliseconds since 1970, like 0:1700000000000");
  }
  return range;
}

/** Opens a root directory; if it is a URL, with the headers and credentials of the command line. */
export async function openRoot({ sources }: CliContext, path: string): Promise<HBaseRoot> {
  const { openHBaseRoot } = await import("@cfile/hbase");
  return openHBaseRoot(path, await sources.options(path));
}

/** Opens the table or snapshot for as long as `work` runs. @throws UsageError unless exactly one of the two is given */
export async function withHBaseTable<T>(
  context: CliContext,
  { root: path, table, snapshot, log, recover }: SourceValues & { readonly recover?: boolean },
  work: (table: HBaseTable, root: HBaseRoot) => Promise<T>,
): Promise<T> {
  exclusive({ "--table": table, "--snapshot": snapshot });
  const root = await openRoot(context, path);
  await using opened = await openOne(root, table, snapshot, { withLog: log ?? true, recover });
  return await work(opened, root);
}

function openOne(
  root: HBaseRoot,
  table: string | undefined,
  snapshot: string | undefined,
  options: HBaseTableOptions,
): Promise<HBaseTable> {
  if (snapshot !== undefined) {
    return root.openSnapshot(snapshot, { recover: options.recover });
  }
  if (table === undefined) {
    throw new UsageError('missing option: --table or --snapshot (see "cfile hbase ls")');
  }
  return root.openTable(table, options);
}
