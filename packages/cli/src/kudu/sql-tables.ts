/** Tables of Kudu servers for SQL queries. */

import type { ScannableTable } from "@cfile/duckdb";
import type { TableBatch } from "@cfile/encodings/batches";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { type LedgerJson, ledgerJson } from "../splits/ledger-json.js";
import { missingTablets } from "./cluster/cluster-directories.js";
import { reportCatalog, reportLedger } from "./cluster/replica-notice.js";
import { columnsOf, type KuduTables, namesIn } from "./kudu-directory.js";
import { reportLog } from "./kudu-log-notice.js";

interface Snapshot {
  readonly asOf: bigint | undefined;
  readonly partialHistory: boolean;
  readonly withLog: boolean;
  /** Whether to recover damaged tablets from all replicas, and to leave out tablets without one. */
  readonly recover: boolean;
}

type OnLedger = (ledger: LedgerJson) => Promise<void>;

/**
 * The tables that the query names, each in the newest schema among its tablets.
 *
 * @throws {CFileError} for a tablet without a replica, unless `recover`
 */
export async function sqlTables(
  context: CliContext,
  tables: KuduTables,
  query: string,
  snapshot: Snapshot,
): Promise<Record<string, ScannableTable>> {
  const found: Record<string, ScannableTable> = {};
  const used = namesInQuery(query);
  const onLedger = ledgerReporter(context);
  await reportCatalog(context, tables);
  for (const { name, tablets } of await tables.tables()) {
    if (used.has(name.toLowerCase())) {
      for (const { id, error } of await missingTablets(tables, { table: name, tablet: undefined })) {
        if (!snapshot.recover) {
          throw error;
        }
        await context.stderr.line(`cfile: skipped tablet ${id}:`);
        await context.reportError(error);
        context.exitCode = EXIT.corrupt;
      }
      for (const tablet of tablets) {
        await reportLog(context, tablet, snapshot.withLog);
      }
      found[name] = scannable(tablets, snapshot, onLedger);
    }
  }
  return found;
}

/** Quoted texts and plain identifiers, in lower case: DuckDB ignores case. */
function namesInQuery(query: string): ReadonlySet<string> {
  const tokens = query.matchAll(/"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([\p{L}_][\p{L}\p{N}_$]*)/gu);
  return new Set(
    [...tokens].map(([, name, literal, plain]) =>
      (name?.replaceAll('""', '"') ?? literal?.replaceAll("''", "'") ?? plain ?? "").toLowerCase(),
    ),
  );
}

/** Reports what was recovered, once: a query may read a table several times. */
function ledgerReporter(context: CliContext): OnLedger {
  const reported = new Set<string>();
  return async (ledger) => {
    const text = JSON.stringify(ledger);
    if (!reported.has(text)) {
      reported.add(text);
      await reportLedger(context, ledger);
    }
    context.exitCode = ledger.complete ? context.exitCode : EXIT.corrupt;
  };
}

function scannable(
  tablets: readonly KuduTablet[],
  { recover, ...snapshot }: Snapshot,
  onLedger: OnLedger,
): ScannableTable {
  const columns = columnsOf(tablets, undefined);
  return {
    schema: { columns },
    async *scan({ columns: names, where, signal }): AsyncGenerator<TableBatch, void, void> {
      const selected = columnsOf(tablets, names);
      for (const tablet of tablets) {
        const nameOf = (name: string): string => namesIn(tablet, columnNamed(columns, name))[0] ?? name;
        const conditions = where.map((condition) => ({ ...condition, column: nameOf(condition.column) }));
        const options = { ...snapshot, columns: namesIn(tablet, selected), where: conditions, signal };
        const ledgers: LedgerJson[] = [];
        const rows = recover
          ? tablet.recover(
              options,
              () => undefined,
              (ledger) => ledgers.push(ledgerJson(ledger, tablet.schema)),
            )
          : tablet.scan(options);
        for await (const batch of rows) {
          yield { ...batch, names: selected.map(({ name }) => name) };
        }
        for (const ledger of ledgers) {
          await onLedger(ledger);
        }
      }
    },
  };
}

function columnNamed(columns: readonly KuduColumn[], name: string): readonly KuduColumn[] {
  return columns.filter((column) => column.name === name);
}
