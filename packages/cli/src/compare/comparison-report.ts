/** A comparison of two tables as text and as JSON. */
import { printable } from "@cfile/cell-text";
import type { Comparison, PartitionDigests, RowDifference } from "@cfile/compare";
import type { TableBatch } from "@cfile/encodings/batches";
import { columnCells } from "../records/field-cells.js";
import { counted } from "../records/quantity.js";
import type { ColumnSpec } from "../table/schema.js";

/** Columns of both sides: the scale of decimals is needed to print them. */
export type SideColumns = readonly (readonly ColumnSpec[])[];

/** The cells of one row as JSON texts, by column. */
function cellsOf(row: TableBatch, columns: SideColumns): Map<string, string> {
  return new Map(
    row.names.map((name, i) => {
      const scale = columns.flat().find((column) => column.name === name)?.scale;
      const cells = row.columns[i];
      return [name, (cells && columnCells(cells, { decode: true, scale }).json()[0]) ?? "null"];
    }),
  );
}

export function comparisonJson(found: Comparison, columns: SideColumns): unknown {
  const rowOf = (row: TableBatch | undefined): unknown =>
    row && Object.fromEntries(Array.from(cellsOf(row, columns), ([name, cell]) => [name, JSON.parse(cell)]));
  const partitions = (all: readonly PartitionDigests[]) =>
    all.map(({ name, rows, digests }) => ({
      name,
      rows,
      digests: Object.fromEntries(digests.map((digest, i) => [found.columns[i]?.name ?? "", digest])),
    }));
  return {
    equal: found.isEqual,
    rows: found.rows,
    columns: found.columns.map(({ name, digests }) => ({ name, digests })),
    other_columns: found.problems.map(({ name, types }) => ({
      name,
      types: types.map((type) => type ?? null),
    })),
    only_a: found.counts.onlyA,
    only_b: found.counts.onlyB,
    changed: found.counts.changed,
    exact: found.isExact,
    differences: found.differences.map(({ a, b, columns: names }) => ({
      a: rowOf(a) ?? null,
      b: rowOf(b) ?? null,
      columns: names,
    })),
    partitions: found.partitions.map(partitions),
  };
}

/** Lines like those of `diff`: `-` for the first table, `+` for the second. */
export function comparisonLines(
  found: Comparison,
  columns: SideColumns,
  keyNames: readonly string[],
): string[] {
  const [rowsA, rowsB] = found.rows;
  if (found.isEqual) {
    return [`equal: ${counted(rowsA, "row")}, ${counted(found.columns.length, "column")}`];
  }
  const { onlyA, onlyB, changed } = found.counts;
  const least = found.isExact ? "" : "at least ";
  const different = found.columns.filter(({ digests: [a, b] }) => a !== b).map(({ name }) => printable(name));
  return [
    ...found.problems.map(
      ({ name, types: [a = "absent", b = "absent"] }) => `column ${printable(name)}: ${a}, ${b}`,
    ),
    `rows: ${rowsA}, ${rowsB}; only in the first: ${least}${onlyA}; only in the second: ${least}${onlyB}; changed: ${least}${changed}`,
    ...(different.length > 0 ? [`columns that differ: ${different.join(", ")}`] : []),
    ...found.differences.flatMap((difference) => differenceLines(difference, columns, keyNames)),
  ];
}

function differenceLines(
  { a, b, columns: names }: RowDifference,
  columns: SideColumns,
  keyNames: readonly string[],
): string[] {
  const isChanged = a !== undefined && b !== undefined;
  const shown = isChanged ? [...keyNames, ...names.filter((name) => !keyNames.includes(name))] : undefined;
  const line = (mark: string, row: TableBatch): string => {
    const cells = cellsOf(row, columns);
    return `${mark} ${(shown ?? [...cells.keys()]).map((name) => `${printable(name)}=${printable(cells.get(name) ?? "")}`).join(" ")}`;
  };
  return [...(a === undefined ? [] : [line("-", a)]), ...(b === undefined ? [] : [line("+", b)])];
}
