/** Writes a part of an export: the rows of a split as a file. */
import { isDamage } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { ReplicaNotice } from "@cfile/kudu-dir";
import type { TabletSplit } from "@cfile/splits";
import { writeSplit } from "@cfile/splits/run";
import { observed } from "../../convert/observed.js";
import type { TableForm } from "../../convert/table-form.js";
import { writeTable } from "../../convert/write-table.js";
import type { CliContext } from "../../program/context.js";
import { accountJson } from "../../splits/account-json.js";
import { ledgerJson } from "../../splits/ledger-json.js";
import type { WritesValues } from "../cluster/cluster-directories.js";
import { noticeText } from "../cluster/replica-notice.js";
import type { KuduTables, ServerValues } from "../kudu-directory.js";
import type { PartReport } from "./export-parts.js";

/** Settings of all parts: plain data that can be sent to workers. */
export interface PartSettings extends ServerValues, WritesValues {
  readonly form: TableForm;
  /** What is done about damage: `compare` reads and compares all replicas of every tablet. */
  readonly onDamage: "fail" | "recover" | "compare";
}

export interface PartTask {
  readonly split: TabletSplit;
  readonly path: string;
  /** Whether to recover a damaged tablet. */
  readonly recover: boolean;
}

/**
 * Writes a part.
 *
 * @param onRows takes the number of rows read so far
 * @returns `undefined` when the tablet is damaged and nothing was written
 */
export async function writePart(
  { sources, io }: CliContext,
  dir: KuduTables,
  { form, onDamage }: PartSettings,
  { split, path, recover }: PartTask,
  onRows: (rows: number) => void,
): Promise<PartReport | undefined> {
  // The writers of Parquet and CSV are done with a batch before they ask for the next one; others keep it.
  const keepBatches = form !== "parquet" && form !== "csv";
  const open = (location: string) => sources.openAnew(location);
  let rows = 0;
  const count = ({ length }: TableBatch): void => {
    io.signal?.throwIfAborted();
    rows += length;
    onRows(rows);
  };
  const keyNames = split.schema.filter(({ isKey }) => isKey).map(({ name }) => name);
  try {
    const notices: string[] = [];
    const options = {
      open,
      dir,
      recover: onDamage === "compare" ? "always" : recover,
      keepBatches,
      onOtherReplica: (notice: ReplicaNotice) => void notices.push(noticeText(notice)),
      signal: io.signal,
    } as const;
    const { recovered } = await writeSplit(split, options, (table) => {
      rows = 0;
      const observedTable = { ...table, rows: observed(table.rows, count) };
      // A part is usually joined and removed before the disk has it. Its checksum shows whether it survived a power cut.
      return writeTable(path, observedTable, { form, keyNames, sync: false });
    });
    const accounts = recovered.flatMap((one) => (one.kind === "row set" ? [accountJson(one.account)] : []));
    const ledgers = recovered.flatMap((one) =>
      one.kind === "tablet" ? [ledgerJson(one.ledger, { columns: split.schema })] : [],
    );
    return { rows, accounts, ledgers, notices };
  } catch (error) {
    if (recover || onDamage === "fail" || !isDamage(error)) {
      throw error;
    }
    return undefined;
  }
}
