/** Ledgers of tablets that were recovered from several replicas, as JSON. */
import { toHex } from "@cfile/bytes";
import type { KeyInterval, TabletLedger } from "@cfile/kudu-dir/recover";
import type { RowSetSchema } from "@cfile/rowset";
import { keyText } from "../records/key-text.js";
import { accountJson } from "./account-json.js";

export type LedgerJson = ReturnType<typeof ledgerJson>;

/** Keys are hexadecimal, and as text in `…_text`; a missing bound is open. */
export function ledgerJson(ledger: TabletLedger, schema: RowSetSchema) {
  const { tablet, snapshot, asOf, rows, complete, replicas, sources, lost, different, rowsDifferent } =
    ledger;
  const interval = ({ from, to }: KeyInterval) => ({
    from: from && toHex(from),
    to: to && toHex(to),
    from_text: from && keyText(schema, from),
    to_text: to && keyText(schema, to),
  });
  return {
    tablet,
    complete,
    rows,
    snapshot,
    as_of: asOf === undefined ? undefined : String(asOf),
    replicas: replicas.map(({ server, use, problems, rowSets }) => ({
      server,
      use,
      problems: problems.map((problem) => ({ ...problem.toJSON(), reason: problem.reason })),
      row_sets: rowSets.map(accountJson),
    })),
    sources: sources.map(({ server, rows: count, ...range }) => ({
      server,
      rows: count,
      ...interval(range),
    })),
    lost: lost.map(({ rows: count, ...range }) => ({ max_rows: count, ...interval(range) })),
    rows_different: rowsDifferent,
    different: different.map(({ key, servers, without }) => ({
      key: toHex(key),
      key_text: keyText(schema, key),
      servers,
      without,
    })),
    unseen: ledger.unseen,
  };
}
