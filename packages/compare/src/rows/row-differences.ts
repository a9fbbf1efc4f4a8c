/** Reads the rows of changed keys and pairs those of both sides. */
import { type TableBatch, takeTable } from "@cfile/encodings/batches";
import { RowHasher } from "../digest/row-hasher.js";
import { type ChangedKey, rowText } from "./changed-keys.js";

/** A row that one side lacks, or that differs. */
export interface RowDifference {
  /** A batch of one row; `undefined` if only the second table has it. */
  readonly a: TableBatch | undefined;
  /** A batch of one row; `undefined` if only the first table has it. */
  readonly b: TableBatch | undefined;
  /** The columns whose cells differ; all for a row that one side lacks. */
  readonly columns: readonly string[];
}

/** The rows with certain hashes. */
export class WantedRows {
  private readonly rows = new Map<string, TableBatch | undefined>();

  constructor(hashes: readonly string[]) {
    for (const hash of hashes) {
      this.rows.set(hash, undefined);
    }
  }

  add(batch: TableBatch, hasher: RowHasher): void {
    const { length, keyLow, keyHigh, rowLow, rowHigh } = hasher.hash(batch);
    for (let i = 0; i < length && this.rows.size > 0; i++) {
      const hash = rowText(keyLow[i] ?? 0, keyHigh[i] ?? 0, rowLow[i] ?? 0, rowHigh[i] ?? 0);
      if (this.rows.has(hash) && this.rows.get(hash) === undefined) {
        // A copy: the memory of the batch may be reused.
        this.rows.set(hash, takeTable(batch, Uint32Array.of(i)));
      }
    }
  }

  /** The row; `undefined` if it was not read again. */
  get(hash: string): TableBatch | undefined {
    return this.rows.get(hash);
  }
}

/** The differences of one key. Rows of both sides are paired in the order of their hashes. */
export function differencesOf(
  { a, b }: ChangedKey,
  [rowsA, rowsB]: readonly [WantedRows, WantedRows],
  names: readonly string[],
  isPaired: boolean,
): RowDifference[] {
  const pairs = isPaired ? Math.min(a.length, b.length) : 0;
  const changed = a.slice(0, pairs).map((hash, i) => {
    const row = rowsA.get(hash);
    const other = rowsB.get(b[i] ?? "");
    const isBoth = row !== undefined && other !== undefined;
    return { a: row, b: other, columns: isBoth ? changedColumns(row, other, names) : names };
  });
  const onlyA = a.slice(pairs).map((hash) => ({ a: rowsA.get(hash), b: undefined, columns: names }));
  const onlyB = b.slice(pairs).map((hash) => ({ a: undefined, b: rowsB.get(hash), columns: names }));
  return [...changed, ...onlyA, ...onlyB];
}

/** Columns are compared by their hashes, as in the digest: `0` and `-0` differ. */
function changedColumns(a: TableBatch, b: TableBatch, names: readonly string[]): string[] {
  return names.filter((name) => cellHash(a, name) !== cellHash(b, name));
}

function cellHash(row: TableBatch, name: string): string {
  const { keyLow, keyHigh } = new RowHasher([name], [name]).hash(row);
  return `${keyLow[0]} ${keyHigh[0]}`;
}
