/** Writes a part of an export: the rows of a split as a file. */
import { basename } from "node:path";
import { isDamage } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { TableRows } from "@cfile/format";
import type { IcebergFile } from "@cfile/iceberg";
import type { ByteSink } from "@cfile/io";
import type { ReplicaNotice } from "@cfile/kudu-dir";
import type { ExportOptions } from "@cfile/parquet/write";
import type { Split } from "@cfile/splits";
import { writeSplit } from "@cfile/splits/run";
import { observed } from "../convert/observed.js";
import { writeTableFile } from "../convert/write-table.js";
import { noticeText } from "../kudu/cluster/replica-notice.js";
import type { CliContext } from "../program/context.js";
import { accountJson } from "../splits/account-json.js";
import { ledgerJson } from "../splits/ledger-json.js";
import type { PartReport } from "./export-parts.js";
import { icebergColumns } from "./iceberg-columns.js";
import { partSink } from "./part-sink.js";
import type { PartSettings, PartSource } from "./part-source.js";

export interface PartTask {
  readonly split: Split;
  readonly path: string;
  /** Number of the part in the joined file. Default: the part is a file of its own. */
  readonly index?: number | undefined;
  /** Whether to recover a damaged tablet or region. */
  readonly recover: boolean;
}

/**
 * Writes a part.
 *
 * @param onRows takes the number of rows read so far
 * @returns `undefined` when the tablet or region is damaged and nothing was written
 */
export async function writePart(
  { sources, io }: CliContext,
  source: PartSource,
  { form, codec, isSorted, onDamage }: PartSettings,
  { split, path, index, recover }: PartTask,
  onRows: (rows: number) => void,
): Promise<PartReport | undefined> {
  // The writers of Parquet and CSV are done with a batch before they ask for the next one; others keep it.
  const keepBatches = form !== "parquet" && form !== "iceberg" && form !== "csv";
  const open = (location: string) => sources.openAnew(location);
  let rows = 0;
  const count = ({ length }: TableBatch): void => {
    io.signal?.throwIfAborted();
    rows += length;
    onRows(rows);
  };
  const { arena, joined } = source;
  const keyNames = split.schema.filter(({ isKey }) => isKey).map(({ name }) => name);
  const sortedBy = isSorted ? leading(keyNames, split.columns) : undefined;
  // Statistics are enough to find a value of the first sorted column; a filter would be larger than the page that it saves.
  const bloomFilters = keyNames.filter((name) => split.columns.includes(name) && name !== sortedBy?.[0]);
  try {
    const notices: string[] = [];
    const options = {
      open,
      ...source,
      recover: onDamage === "compare" ? "always" : recover,
      keepBatches,
      onOtherReplica: (notice: ReplicaNotice) => void notices.push(noticeText(notice)),
      signal: io.signal,
    } as const;
    let file: IcebergFile | undefined;
    const { written, recovered } = await writeSplit(split, options, async (given) => {
      rows = 0;
      const table = { ...given, rows: observed(given.rows, count) };
      const sink = index === undefined || joined === undefined ? await partSink(path) : joined.sink(index);
      if (form === "iceberg") {
        file = await writeDataFile(sink, basename(path), { table, split, parquet: { codec, arena } });
      } else {
        await writeTableFile(sink, table, { form, sortedBy, bloomFilters, codec, arena });
      }
      return sink;
    });
    const accounts = recovered.flatMap((one) => (one.kind === "row set" ? [accountJson(one.account)] : []));
    const ledgers = recovered.flatMap((one) =>
      one.kind === "tablet" ? [ledgerJson(one.ledger, { columns: split.schema })] : [],
    );
    const losses = recovered.flatMap((one) => (one.kind === "region" ? one.losses : []));
    const { checksum, joined: place } = written;
    return { rows, checksum, joined: place, accounts, ledgers, losses, notices, file };
  } catch (error) {
    if (recover || onDamage === "fail" || !isDamage(error)) {
      throw error;
    }
    return undefined;
  }
}

/** The leading names that are all among the columns. */
function leading(names: readonly string[], columns: readonly string[]): readonly string[] {
  const end = names.findIndex((name) => !columns.includes(name));
  return end < 0 ? names : names.slice(0, end);
}

interface DataFile {
  readonly table: TableRows;
  readonly split: Split;
  readonly parquet: Pick<ExportOptions, "codec" | "arena">;
}

async function writeDataFile(sink: ByteSink, name: string, { table, split, parquet }: DataFile) {
  const { icebergSchema, writeIcebergFile } = await import("@cfile/iceberg");
  const known = icebergColumns(split.schema, split.columns);
  const sortedBy = known.filter(({ isKey }) => isKey).map((column) => column.name);
  const options = { schema: icebergSchema(known), sortedBy, parquet };
  return writeIcebergFile(sink, name, table, options);
}
