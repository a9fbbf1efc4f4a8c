/** `cfile kudu scan` and `cfile kudu diff`: rows of a table in a server's directories. */
import { isCFileError } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { KuduTablet, ReplicaNotice, UnreadablePart } from "@cfile/kudu-dir";
import type { TabletLedger } from "@cfile/kudu-dir/recover";
import { timeRange } from "../options/hybrid-time.js";
import {
  FROM,
  formatOf,
  KUDU_ROW_FORMATS,
  LIMIT,
  type RecordFormat,
  TABLE_READ,
  TO,
  WITH_LOG,
} from "../options/options.js";
import { parseWhere } from "../options/where-expression.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { combineExitCodes, EXIT, exitCodeOf } from "../program/exit-code.js";
import { flag, required, toggle, type Values } from "../program/option.js";
import { type LedgerJson, ledgerJson } from "../splits/ledger-json.js";
import {
  CLUSTER_DIRS,
  missingTablets,
  RECOVER,
  WRITES,
  withKuduTables,
} from "./cluster/cluster-directories.js";
import { noticeText, reportCatalog, reportLedger, reportWrites } from "./cluster/replica-notice.js";
import { columnsOf, namesIn, tabletsOfTable } from "./kudu-directory.js";
import { reportLog } from "./kudu-log-notice.js";
import { RowWriter } from "./kudu-row-writer.js";

const { where: _where, asOf: _asOf, ...READ } = TABLE_READ;
const ROW_OPTIONS = {
  ...KUDU_ROW_FORMATS,
  decode: toggle("print dates, timestamps, floats, UTF-8 and decimals as readable text", "on for tables"),
  withLog: WITH_LOG,
  ...WRITES,
  strict: flag("fail if any part of the table cannot be read"),
};

type RowValues = Values<typeof READ & typeof ROW_OPTIONS> & { readonly dirs: readonly string[] };

const ABOUT =
  "What cannot be read is skipped, reported on stderr, and sets the exit code. A snapshot older than the retained history is an error.";

export const scan = command({
  about: ABOUT,
  args: { dirs: CLUSTER_DIRS },
  options: { ...TABLE_READ, limit: LIMIT, ...ROW_OPTIONS, recover: RECOVER },
  examples: [
    ["Print a table as CSV", "cfile kudu scan /data/1 /data/wal --table t --format csv"],
    ["Print exact values of some rows", "cfile kudu scan backup --table t --where 'id < 10' --json"],
    ["Read a snapshot", "cfile kudu scan backup --table t --as-of 2024-02-29T12:00:00Z"],
  ],
  run: (context, values) => {
    const { asOf, limit = Number.POSITIVE_INFINITY } = values;
    let left = limit;
    return writeRows(context, values, { field: "asOf", time: asOf }, async function* (tablet, tolerance) {
      const where = values.where.map((text) => parseWhere(text, tablet.schema.columns));
      const { signal } = context.io;
      const options = { ...tolerance, where, asOf, limit: left, signal };
      const rows =
        values.recover && left > 0
          ? tablet.recover(options, () => undefined, tolerance.onLedger)
          : tablet.scan(options);
      for await (const batch of rows) {
        left -= batch.length;
        yield batch;
      }
    });
  },
});

export const diff = command({
  about: `Each row is printed as it is at the end of the range, with whether it is deleted. With --recover, rows that changed and changed back are left out. ${ABOUT}`,
  args: { dirs: CLUSTER_DIRS },
  options: { from: required(FROM), to: required(TO), ...READ, ...ROW_OPTIONS, recover: RECOVER },
  examples: [
    [
      "Print the changes of a day",
      "cfile kudu diff backup --table t --from 2024-02-29T00:00:00Z --to 2024-03-01T00:00:00Z",
    ],
  ],
  run: (context, values) => {
    const { from, to } = timeRange(values);
    const { signal } = context.io;
    return writeRows(context, values, { field: "from", time: from }, async function* (tablet, tolerance) {
      const options = { ...tolerance, signal };
      if (values.recover) {
        const { recoveredDiff } = await import("@cfile/kudu-dir/recover");
        yield* recoveredDiff(tablet, from, to, options, tolerance.onLedger);
      } else {
        yield* tablet.diff(from, to, options);
      }
    });
  },
});

interface ReadTolerance {
  readonly columns: readonly string[];
  readonly onUnreadable: ((part: UnreadablePart) => void) | undefined;
  readonly partialHistory: boolean;
  readonly withLog: boolean;
  readonly onOtherReplica: (notice: ReplicaNotice) => void;
  readonly onLedger: (ledger: TabletLedger) => void;
}

/** The earliest time whose snapshot is needed; in a diff, `from`. */
interface EarliestTime {
  readonly field: "asOf" | "from";
  readonly time: bigint | undefined;
}

type ReadRows = (tablet: KuduTablet, tolerance: ReadTolerance) => AsyncGenerator<TableBatch, void, void>;

/** Writes what can be read; the rest is reported and sets the exit code. */
async function writeRows(
  context: CliContext,
  values: RowValues,
  { field, time }: EarliestTime,
  read: ReadRows,
): Promise<void> {
  const format = formatOf<RecordFormat>(values, "table");
  const { strict, partialHistory, decode = format === "table" } = values;
  const unreadable: UnreadablePart[] = [];
  const onUnreadable = strict ? undefined : (part: UnreadablePart) => void unreadable.push(part);
  let isComplete = true;
  await withKuduTables(values, async (tables, isCluster) => {
    const withLog = values.withLog || isCluster;
    const tablets = await tabletsOfTable(tables, values);
    await reportCatalog(context, tables);
    for (const { id, error } of await missingTablets(tables, values)) {
      if (strict) {
        throw error;
      }
      unreadable.push({ tablet: id, rowSet: undefined, error });
    }
    const columns = columnsOf(tablets, values.columns);
    // Nothing is printed when the history of one tablet is gone.
    for (const tablet of tablets) {
      await tablet.requireHistory(field, time, { partialHistory });
    }
    const writer = new RowWriter({ format, decode, isDiff: field === "from", columns }, context.stdout);
    await writer.begin();
    for (const tablet of tablets) {
      await writer.beginTablet(tablet);
      try {
        const notices: string[] = [];
        const ledgers: LedgerJson[] = [];
        const tolerance: ReadTolerance = {
          columns: namesIn(tablet, columns),
          onUnreadable,
          partialHistory,
          withLog,
          onOtherReplica: (notice) => void notices.push(noticeText(notice)),
          onLedger: (ledger) => void ledgers.push(ledgerJson(ledger, tablet.schema)),
        };
        for await (const batch of read(tablet, tolerance)) {
          await writer.batch(batch);
        }
        for (const notice of notices) {
          await context.stderr.line(`cfile: ${notice}`);
        }
        for (const ledger of ledgers) {
          isComplete &&= ledger.complete;
          await reportLedger(context, ledger);
        }
      } catch (error) {
        // Other tablets may be readable; but gone history and invalid arguments concern all of them.
        const isForAll = isCFileError(error, "E_HISTORY_GONE") || isCFileError(error, "E_INVALID_ARGUMENT");
        if (!isCFileError(error) || strict || isForAll) {
          throw error;
        }
        unreadable.push({ tablet: tablet.id, rowSet: undefined, error });
      }
      await writer.endTablet();
      if (!unreadable.some((part) => part.tablet === tablet.id && part.rowSet === undefined)) {
        await reportLog(context, tablet, withLog);
        await reportWrites(context, tablet);
      }
    }
    await writer.end();
    for (const { tablet, rowSet, error } of unreadable) {
      const part = rowSet === undefined ? `tablet ${tablet}` : `tablet ${tablet}, DiskRowSet ${rowSet}`;
      await context.stderr.line(`cfile: skipped ${part}:`);
      await context.reportError(error);
    }
  });
  const codes = unreadable.map(({ error }) => exitCodeOf(error));
  context.exitCode = combineExitCodes(isComplete ? codes : [...codes, EXIT.corrupt]);
}
