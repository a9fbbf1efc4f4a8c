/** Finds the keys whose rows differ, from the hashes of rows in the groups that differ. */
import type { TableBatch } from "@cfile/encodings/batches";
import { GROUPS } from "../digest/group-digest.js";
import type { RowHasher } from "../digest/row-hasher.js";

/** Hashes of rows, four words each: key, row. */
export class HashList {
  length = 0;
  words = new Int32Array(4 * 1024);
  private readonly isWanted = new Uint8Array(GROUPS);

  /** @param groups the groups whose rows are kept */
  constructor(groups: readonly number[]) {
    for (const group of groups) {
      this.isWanted[group] = 1;
    }
  }

  add(batch: TableBatch, hasher: RowHasher): void {
    const { length, keyLow, keyHigh, rowLow, rowHigh } = hasher.hash(batch);
    for (let i = 0; i < length; i++) {
      const key = keyLow[i] as number;
      if (this.isWanted[key & (GROUPS - 1)] === 1) {
        this.push(key, keyHigh[i] as number, rowLow[i] as number, rowHigh[i] as number);
      }
    }
  }

  private push(keyLow: number, keyHigh: number, rowLow: number, rowHigh: number): void {
    const at = 4 * this.length++;
    if (at === this.words.length) {
      const grown = new Int32Array(2 * at);
      grown.set(this.words);
      this.words = grown;
    }
    this.words[at] = keyLow;
    this.words[at + 1] = keyHigh;
    this.words[at + 2] = rowLow;
    this.words[at + 3] = rowHigh;
  }
}

/** Numbers of rows that differ. */
export interface ChangeCounts {
  /** Rows that only the first table has. */
  readonly onlyA: number;
  /** Rows that only the second table has. */
  readonly onlyB: number;
  /** Pairs of rows with the same key that differ. */
  readonly changed: number;
}

/** A key whose rows differ. */
export interface ChangedKey {
  /** The hashes of rows that the other side lacks, at most as many as are shown. */
  readonly a: readonly string[];
  readonly b: readonly string[];
}

export interface Changes {
  readonly counts: ChangeCounts;
  /** The first keys, ascending by hash. */
  readonly keys: readonly ChangedKey[];
}

/**
 * @param limit maximum number of keys, and of rows per key, to return
 * @param isPaired whether two rows with the same key count as one changed row
 */
export function changedKeys(a: HashList, b: HashList, limit: number, isPaired: boolean): Changes {
  const keys: ChangedKey[] = [];
  let [onlyA, onlyB, changed] = [0, 0, 0];
  for (const { rowsA, rowsB } of differingRuns(a, b)) {
    const pairs = isPaired ? Math.min(rowsA.length, rowsB.length) : 0;
    changed += pairs;
    onlyA += rowsA.length - pairs;
    onlyB += rowsB.length - pairs;
    if (keys.length < limit) {
      keys.push({
        a: rowsA.slice(0, limit).map((row) => hashText(a, row)),
        b: rowsB.slice(0, limit).map((row) => hashText(b, row)),
      });
    }
  }
  return { counts: { onlyA, onlyB, changed }, keys };
}

/** The rows that one side lacks, key by key. */
function* differingRuns(
  a: HashList,
  b: HashList,
): Generator<{ readonly rowsA: readonly number[]; readonly rowsB: readonly number[] }, void, void> {
  const [left, right] = [sortedRows(a), sortedRows(b)];
  let [rowsA, rowsB]: [number[], number[]] = [[], []];
  let last: { readonly words: Int32Array; readonly row: number } | undefined;
  for (let i = 0, j = 0; i < left.length || j < right.length; ) {
    const [rowA, rowB] = [left[i] ?? 0, right[j] ?? 0];
    const order =
      i === left.length ? 1 : j === right.length ? -1 : compareAt(a.words, rowA, b.words, rowB, 4);
    if (order === 0) {
      i++;
      j++;
      continue;
    }
    const next = order < 0 ? { words: a.words, row: rowA } : { words: b.words, row: rowB };
    if (last !== undefined && compareAt(last.words, last.row, next.words, next.row, 2) !== 0) {
      yield { rowsA, rowsB };
      [rowsA, rowsB] = [[], []];
    }
    last = next;
    if (order < 0) {
      rowsA.push(rowA);
      i++;
    } else {
      rowsB.push(rowB);
      j++;
    }
  }
  if (last !== undefined) {
    yield { rowsA, rowsB };
  }
}

function hashText({ words }: HashList, row: number): string {
  return rowText(
    words[4 * row] ?? 0,
    words[4 * row + 1] ?? 0,
    words[4 * row + 2] ?? 0,
    words[4 * row + 3] ?? 0,
  );
}

/** Identifies the hashes of a row's key and content. */
export function rowText(keyLow: number, keyHigh: number, rowLow: number, rowHigh: number): string {
  return `${keyLow} ${keyHigh} ${rowLow} ${rowHigh}`;
}

function sortedRows({ words, length }: HashList): Uint32Array {
  return Uint32Array.from({ length }, (_, row) => row).sort((a, b) => compareAt(words, a, words, b, 4));
}

/** Compares the first `count` words of two rows. */
function compareAt(a: Int32Array, rowA: number, b: Int32Array, rowB: number, count: number): number {
  for (let word = 0; word < count; word++) {
    const order = (a[4 * rowA + word] ?? 0) - (b[4 * rowB + word] ?? 0);
    if (order !== 0) {
      return order;
    }
  }
  return 0;
}
