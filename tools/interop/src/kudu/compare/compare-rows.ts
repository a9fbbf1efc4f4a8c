/**
 * Compares the rows that cfile reads from a stopped server's directories with those that Kudu's client read
 * from the server.
 */

import { isCFileError, toHex } from "@cfile/bytes";
import { type ColumnBatch, DATA_TYPES } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import { bytesOf } from "@cfile/encodings/batches";
import { checkKuduDir, type KuduDir, type KuduTablet, type TabletScanOptions } from "@cfile/kudu-dir";
import { splitKeys } from "@cfile/kudu-dir/catalog";
import type { DirProblem } from "@cfile/kudu-dir/check";
import type { ClientTable, TabletRows } from "./client-rows.js";

export interface Comparison {
  /** Compared snapshots and diffs, each of one tablet. */
  readonly cases: number;
  readonly rows: number;
  /** Problems, one per line. */
  readonly failures: readonly string[];
}

const MOST_FAILURES = 12;
/** Parts into which a tablet is divided. */
const PARTS = 5;

export async function compareTable(dir: Pick<KuduDir, "tablet">, client: ClientTable): Promise<Comparison> {
  let cases = 0;
  let rows = 0;
  const failures: string[] = [];
  const compare = async (
    what: string,
    expected: TabletRows,
    read: (
      tablet: KuduTablet,
      columns: readonly string[],
    ) => AsyncIterable<TableBatch & { readonly deleted?: Uint8Array }>,
  ): Promise<void> => {
    for (const [id, wanted] of expected) {
      cases++;
      rows += wanted.length;
      const place = `table ${client.name}, tablet ${id}, ${what}`;
      try {
        const tablet = await dir.tablet(id);
        const found: string[] = [];
        for await (const batch of read(tablet, client.columns)) {
          found.push(...rowTexts(batch, batch.deleted));
        }
        const difference = firstDifference(wanted, found);
        if (difference !== undefined) {
          failures.push(`${place}: ${difference}`);
        }
      } catch (error) {
        failures.push(`${place}: ${isCFileError(error) ? `${error.code} ${error.message}` : String(error)}`);
      }
    }
  };
  for (const { timestamp, rows: expected } of client.snapshots) {
    await compare(`asOf ${timestamp}`, expected, (tablet, columns) =>
      tablet.scan({ asOf: timestamp, columns, withLog: true }),
    );
    await compare(`asOf ${timestamp}, part by part`, expected, (tablet, columns) =>
      scanParts(tablet, { asOf: timestamp, columns, withLog: true }),
    );
  }
  for (const { from, to, rows: expected } of client.diffs) {
    await compare(`diff ${from} ${to}`, expected, (tablet, columns) =>
      tablet.diff(from, to, { columns, withLog: true }),
    );
  }
  return { cases, rows, failures: failures.slice(0, MOST_FAILURES) };
}

/** Reads the key ranges that the threads of an export divide a tablet into. */
async function* scanParts(
  tablet: KuduTablet,
  options: TabletScanOptions,
): AsyncGenerator<TableBatch, void, void> {
  const keys = await splitKeys(tablet, PARTS);
  for (let i = 0; i <= keys.length; i++) {
    yield* tablet.scan({ ...options, keys: { from: keys[i - 1], to: keys[i] } });
  }
}

/** Findings of `cfile kudu check`, one per line. */
export async function problemsOf(dir: KuduDir): Promise<readonly string[]> {
  const problems: DirProblem[] = [];
  await checkKuduDir(dir, { onProblem: (problem) => problems.push(problem) });
  return problems
    .slice(0, MOST_FAILURES)
    .map(({ code, reason, table, tablet, rowSet, role, path }) =>
      [code, reason, `table ${table}, tablet ${tablet}, row set ${rowSet}, ${role ?? ""} ${path ?? ""}`].join(
        "; ",
      ),
    );
}

export function firstDifference(wanted: readonly string[], found: readonly string[]): string | undefined {
  for (let row = 0; row < Math.max(wanted.length, found.length); row++) {
    if (wanted[row] !== found[row]) {
      return `row ${row} of ${wanted.length}, ${found.length}: expected ${show(wanted[row])}, found ${show(found[row])}`;
    }
  }
  return undefined;
}

function show(row: string | undefined): string {
  return row === undefined ? "none" : JSON.stringify(row.slice(0, 300));
}

/** Rows in the text format of the driver. */
export function rowTexts(batch: TableBatch, deleted: Uint8Array | undefined): string[] {
  const columns = batch.columns.map(cellTexts);
  return Array.from({ length: batch.length }, (_, row) => {
    const cells = columns.map((cells) => cells[row]);
    return (deleted === undefined ? cells : [...cells, deleted[row]]).join("\t");
  });
}

/** Cells in the text format of the driver. */
export function cellTexts(batch: ColumnBatch): string[] {
  const { physical } = DATA_TYPES[batch.type];
  const isFloat = physical === "FLOAT" || physical === "DOUBLE";
  const width = physical === "FLOAT" ? 4 : 8;
  const bits = isFloat && batch.kind === "fixed" ? bytesOf(batch.values) : undefined;
  return batch.toArray({ strings: "bytes" }).map((cell, i) => {
    if (cell === null) {
      return "~";
    }
    if (bits !== undefined) {
      return toHex(bits.slice(i * width, (i + 1) * width).reverse());
    }
    if (typeof cell === "boolean") {
      return cell ? "1" : "0";
    }
    return cell instanceof Uint8Array ? `x${toHex(cell)}` : String(cell);
  });
}
