/** A table in the simplest form: all versions of every row, in the order of the writes. */

import type { CellValue } from "@cfile/encodings";
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { RowSetSchema, RowVersion } from "../src/index.js";
import { fulfils, type PlainRow } from "./plain-filter.js";

export type Cells = readonly CellValue[];

interface Version {
  readonly at: bigint;
  /** Cells except those of the key; `undefined` when the row was deleted. */
  readonly cells: Cells | undefined;
}

export class RowModel {
  private readonly names: readonly string[];
  private readonly keyLength: number;
  private readonly rows = new Map<string, { key: Cells; versions: Version[] }>();

  constructor({ columns }: RowSetSchema) {
    this.names = columns.map(({ name }) => name);
    this.keyLength = columns.filter(({ isKey }) => isKey).length;
  }

  put(key: Cells, at: bigint, cells: Cells | undefined): void {
    const name = JSON.stringify(key);
    const row = this.rows.get(name) ?? { key, versions: [] };
    this.rows.set(name, row);
    row.versions.push({ at, cells });
  }

  get(key: Cells, asOf = 1n << 64n): Cells | undefined {
    return this.rows.get(JSON.stringify(key))?.versions.findLast(({ at }) => at < asOf)?.cells;
  }

  /** Complete rows in key order. */
  state(asOf?: bigint): Cells[] {
    const alive = [...this.rows.values()].flatMap(({ key }) => {
      const cells = this.get(key, asOf);
      return cells === undefined ? [] : [[...key, ...cells]];
    });
    return alive.sort((left, right) => this.compareKeys(left, right));
  }

  /** Rows that changed and existed at `from` or `to`: as of `to`, or only the key of deleted rows. */
  changes(from: bigint, to: bigint): Cells[] {
    const changed = [...this.rows.values()].flatMap(({ key, versions }) => {
      const cells = this.get(key, to);
      const isReported =
        versions.some(({ at }) => at >= from && at < to) &&
        (cells !== undefined || this.get(key, from) !== undefined);
      return isReported ? [cells === undefined ? [...key] : [...key, ...cells]] : [];
    });
    return changed.sort((left, right) => this.compareKeys(left, right));
  }

  /** Compares complete rows or keys alone. */
  compareKeys(left: Cells, right: Cells): number {
    for (let i = 0; i < this.keyLength; i++) {
      const [a, b] = [left[i] ?? null, right[i] ?? null];
      if (a !== b) {
        return a !== null && b !== null && a < b ? -1 : 1;
      }
    }
    return 0;
  }

  /** A row as predicates see it: strings as bytes. */
  plain(row: Cells): PlainRow {
    return Object.fromEntries(
      this.names.map((name, i) => {
        const cell = row[i] ?? null;
        return [name, typeof cell === "string" ? new TextEncoder().encode(cell) : cell];
      }),
    );
  }

  matching(rows: readonly Cells[], where: readonly NamedCondition[]): Cells[] {
    return rows.filter((row) => fulfils(this.plain(row), where));
  }
}

/** The version of a row that is valid at a timestamp. */
export function versionAt(versions: readonly RowVersion[], asOf: bigint): Cells | undefined {
  const version = versions.findLast(({ timestamp }) => timestamp === undefined || timestamp < asOf);
  return version === undefined || version.deleted ? undefined : version.cells;
}
