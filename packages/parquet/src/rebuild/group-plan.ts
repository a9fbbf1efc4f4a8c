/** Plans which rows of each row group are written, and which columns become nullable because some of their cells are lost. */

import type { SchemaElement } from "hyparquet";
import type { LaidGroup } from "../layout/layout.js";
import { intersect, type RowRange } from "../prune/row-ranges.js";
import type { ChunkPages } from "./chunk-pages.js";
import { countRows } from "./row-ranges.js";

/** A row group, which is written unless `rows` is empty. */
export interface GroupPlan {
  readonly group: LaidGroup;
  /** One per leaf; all leaves of a column cover the same rows. */
  readonly chunks: readonly ChunkPages[];
  /** Rows of the row group to write. */
  readonly rows: readonly RowRange[];
}

/** @param columns for each leaf, the index of its column: the field below the root */
export function planGroup(
  group: LaidGroup,
  chunks: readonly ChunkPages[],
  columns: readonly number[],
  lost: "drop" | "null",
): GroupPlan {
  if (!group.isCertain && !group.isGuessed) {
    return { group, chunks, rows: [] };
  }
  if (lost === "drop") {
    return { group, chunks, rows: chunks.map(({ covered }) => covered).reduce(intersect) };
  }
  const shared = chunks.map((chunk, leaf) => ({ ...chunk, covered: coveredWith(leaf, chunks, columns) }));
  const end = group.rows ?? Math.max(0, ...shared.map(({ covered }) => covered.at(-1)?.to ?? 0));
  return { group, chunks: shared, rows: end === 0 ? [] : [{ from: 0, to: end }] };
}

/** The rows that all leaves of the leaf's column cover. */
function coveredWith(
  leaf: number,
  chunks: readonly ChunkPages[],
  columns: readonly number[],
): readonly RowRange[] {
  return chunks
    .filter((_, other) => columns[other] === columns[leaf])
    .map(({ covered }) => covered)
    .reduce(intersect);
}

/** The columns that lost cells in written rows. */
export function columnsWithLosses(
  plans: readonly GroupPlan[],
  columns: readonly number[],
): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { chunks, rows } of plans) {
    for (const [leaf, { covered }] of chunks.entries()) {
      const column = columns[leaf];
      if (column !== undefined && countRows(intersect(covered, rows)) < countRows(rows)) {
        found.add(column);
      }
    }
  }
  return found;
}

/** The index of the column of each leaf. */
export function columnsOfLeaves(schema: readonly SchemaElement[]): number[] {
  const columns: number[] = [];
  let next = 1;
  const skip = (column: number): void => {
    const children = schema[next++]?.num_children ?? 0;
    if (children === 0) {
      columns.push(column);
    }
    for (let i = 0; i < children; i++) {
      skip(column);
    }
  };
  for (let column = 0; next < schema.length; column++) {
    skip(column);
  }
  return columns;
}

/** The schema with these required columns made nullable; `changed` lacks columns that are nullable already. */
export function madeNullable(
  schema: readonly SchemaElement[],
  columns: ReadonlySet<number>,
): {
  readonly schema: readonly SchemaElement[];
  readonly changed: ReadonlySet<number>;
} {
  const changed = new Set<number>();
  let column = -1;
  let left = 0;
  const elements = schema.map((element, i) => {
    if (i === 0) {
      return element;
    }
    const isColumn = left === 0;
    column += isColumn ? 1 : 0;
    left = (isColumn ? 1 : left) - 1 + (element.num_children ?? 0);
    if (!isColumn || !columns.has(column) || element.repetition_type !== "REQUIRED") {
      return element;
    }
    changed.add(column);
    return { ...element, repetition_type: "OPTIONAL" } as const;
  });
  return { schema: elements, changed };
}
