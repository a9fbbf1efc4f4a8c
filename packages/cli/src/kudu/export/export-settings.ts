/** What is exported and how: plain values, which go to workers as they are. */
import { isCFileError } from "@cfile/bytes";
import type { KuduDir, KuduTablet, TabletScanOptions } from "@cfile/kudu-dir";
import type { TableForm } from "../../convert/table-form.js";
import { parseWhere } from "../../options/where-expression.js";
import { columnsOf, namesIn } from "../kudu-columns.js";
import type { KuduArguments, TabletArguments } from "../kudu-directory.js";
import { tabletsOfTable } from "../kudu-directory.js";

export interface ExportSettings extends KuduArguments, Pick<TabletArguments, "table" | "tablet"> {
  readonly columns: readonly string[] | undefined;
  readonly where: readonly string[];
  readonly asOf: bigint | undefined;
  readonly withLog: boolean;
  readonly partialHistory: boolean;
  /** Of the parts. */
  readonly form: TableForm;
}

/** Rows of a tablet with keys from `from` to before `to`, encoded. */
export interface ExportUnit {
  readonly tablet: string;
  readonly from?: Uint8Array | undefined;
  readonly to?: Uint8Array | undefined;
}

/** Columns of the table, and how each of its tablets that has data here is scanned for them. */
export async function exportedTable(dir: KuduDir, settings: ExportSettings) {
  const all = await tabletsOfTable(dir, settings);
  const tablets = all.filter(({ state }) => state === "ready");
  const withoutData = all.filter(({ state }) => state !== "ready");
  const columns = columnsOf(all, settings.columns);
  const optionsOf = (tablet: KuduTablet): TabletScanOptions => ({
    columns: namesIn(tablet, columns),
    where: settings.where.map((text) => parseWhere(text, tablet.schema.columns)),
    asOf: settings.asOf,
    withLog: settings.withLog,
    partialHistory: settings.partialHistory,
  });
  return { tablets, withoutData, columns, optionsOf };
}

const DAMAGE: readonly string[] = ["E_CHECKSUM", "E_CORRUPT", "E_TRUNCATED", "E_LIMIT"];

/** Whether an error says that something of a tablet is damaged or missing, so that the rest of it can be salvaged. */
export function isDamage(error: unknown): boolean {
  if (!isCFileError(error)) {
    return false;
  }
  const isMissing = error.code === "E_NOT_FOUND" && error.field !== "asOf" && error.field !== "from";
  return isMissing || DAMAGE.includes(error.code);
}
