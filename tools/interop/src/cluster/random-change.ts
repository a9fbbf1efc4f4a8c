/** Random changes of rows that Kudu accepts, and some that it rejects. */
import { type PlannedColumn, randomCell } from "../kudu/table-plan.js";
import type { Random } from "../random.js";
import type { KuduRelease } from "./kudu-releases.js";
import type { ChangeKind } from "./row-changes.js";

/** The kinds of changes for a table with these columns; frequent kinds are listed several times. */
export function changeKinds(
  columns: readonly PlannedColumn[],
  { hasIgnore, hasSoftDelete }: KuduRelease,
  mayInsert: boolean,
): readonly ChangeKind[] {
  const others = columns.filter(({ key }) => key === 0);
  // Kudu numbers rows without unique keys only on INSERT.
  const isCounted = columns[0]?.key === 2;
  const kinds: ChangeKind[] = mayInsert ? ["insert", "insert", "insert", "delete"] : ["delete"];
  if (!isCounted) {
    kinds.push("upsert", "upsert");
  }
  if (others.length > 0) {
    kinds.push("update", "update", "update");
  }
  if (hasIgnore) {
    kinds.push("delete-ignore");
    // Kudu rejects an update without columns.
    kinds.push(...(others.some(({ immutable }) => immutable !== true) ? ["update-ignore" as const] : []));
  }
  if (hasIgnore && !isCounted) {
    kinds.push("insert-ignore", ...(hasSoftDelete ? ["upsert-ignore" as const] : []));
  }
  return kinds;
}

/**
 * The cells of a change.
 *
 * @param columns those that are not in the key
 */
export function changedCells(
  random: Random,
  kind: ChangeKind,
  columns: readonly PlannedColumn[],
): readonly string[] {
  if (kind.startsWith("delete")) {
    return columns.map(() => "?");
  }
  const isNew = kind.startsWith("insert") || kind.startsWith("upsert");
  const changeable = columns.filter(({ immutable }) => immutable !== true);
  const forced = columns.length === 0 ? undefined : random.pick(changeable.length > 0 ? changeable : columns);
  return columns.map((column) => {
    const mayBeUnset = isNew ? column.nullable || column.defaultCell !== "?" : column !== forced;
    const isKept = !isNew && column.immutable === true && !random.once(8);
    if (mayBeUnset && (isKept || random.once(isNew ? 5 : 2))) {
      return "?";
    }
    return column.nullable && random.once(4) ? "~" : cellOf(random, column);
  });
}

/** A cell that fits the column. Kudu's client cuts VARCHAR between the halves of characters beyond the basic plane; none are used. */
export function cellOf(random: Random, column: Parameters<typeof randomCell>[1]): string {
  const cell = randomCell(random, column);
  return column.type === "VARCHAR" ? withoutPairs(cell) : cell;
}

function withoutPairs(cell: string): string {
  const text = Buffer.from(cell.slice(1), "hex").toString();
  return `x${Buffer.from(text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, "€")).toString("hex")}`;
}
