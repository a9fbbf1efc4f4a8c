/** The query that computes a {@link SqlDigest} where a table lives and compares it with the digest of another. */
import { CFileError } from "@cfile/bytes";
import type { ComparedColumn } from "../compared-table.js";
import { EXPRESSIONS, type Expressions, type SqlDialect } from "./dialects.js";
import type { HashSum, SqlDigest } from "./sql-digest.js";

/** The largest finite DOUBLE. */
const MAX_DOUBLE = "1.7976931348623157e308";

/**
 * A query of one row: `equal`, then for `rows` and each column whether it is equal.
 *
 * @param table the name of the table, as SQL
 * @throws {CFileError} `E_UNSUPPORTED` for arrays
 */
export function digestQuery(
  dialect: SqlDialect,
  table: string,
  columns: readonly ComparedColumn[],
  expected: SqlDigest,
): string {
  const to = EXPRESSIONS[dialect];
  const array = columns.find((column) => column.array);
  if (array !== undefined) {
    throw new CFileError("E_UNSUPPORTED", "arrays have no digest in SQL", { field: array.name });
  }
  const floats = columns.flatMap(({ type }, i) => (type === "FLOAT" || type === "DOUBLE" ? [i] : []));
  const cells = columns.map(({ name }, i) => `${to.quote(name)} AS c${i}`);
  const hashes = columns.map((column, i) => `${to.md5(...textOf(column, i, to))} AS h${i}`);
  const rowHash = columns.map((_, i) => `COALESCE(h${i}, '-')`).join(" || ',' || ");
  const sums = columns.map((_, i) => `COUNT(h${i}) AS n${i}, ${sumOf(`h${i}`, to)} AS s${i}`);
  const tests = columns.map((_, i) => equalTo(`n${i}`, `s${i}`, expected.columns[i]));
  const all = [equalTo("n", "s", expected.rows), ...tests];
  const names = ["rows", ...columns.map(({ name }) => name)];
  const layers = [
    `SELECT ${cells.join(", ")}\n  FROM ${table}`,
    ...(floats.length === 0 ? [] : floatLayers(floats, to)),
    `SELECT ${hashes.join(",\n    ")}`,
    `SELECT COUNT(*) AS n, ${sumOf(to.md5(rowHash, false), to)} AS s,\n    ${sums.join(",\n    ")}`,
    `SELECT ${all.join("\n    AND ")} AS ${to.quote("equal")},\n    ${all.map((test, i) => `${test} AS ${to.quote(`${names[i]} equal`)}`).join(",\n    ")}`,
  ];
  return `${layers.reduce((inner, layer, i) => `${layer}\nFROM (\n${inner}\n) AS t${i}`)};`;
}

/** The SQL of a cell's text, and whether it is bytes. */
function textOf({ type }: ComparedColumn, i: number, to: Expressions): [value: string, isBytes: boolean] {
  const cell = `c${i}`;
  switch (type) {
    case "BINARY":
      return [cell, true];
    case "STRING":
    case "VARCHAR":
      return [cell, false];
    case "DATE":
      return [to.text(to.days(cell)), false];
    case "UNIXTIME_MICROS":
      return [to.text(to.micros(cell)), false];
    case "FLOAT":
    case "DOUBLE":
      return [floatText(i, to), false];
    default:
      return [to.text(cell), false];
  }
}

/** Scaled values, exponents and mantissas, each computed from the previous ones. */
function floatLayers(floats: readonly number[], { isNan }: Expressions): string[] {
  const layer = (expression: (i: number) => string, name: string): string =>
    `SELECT *, ${floats.map((i) => `${expression(i)} AS ${name}${i}`).join(", ")}`;
  return [
    layer((i) => `CASE WHEN ABS(c${i}) < POWER(2e0, -900) THEN 200 ELSE 0 END`, "p"),
    layer((i) => `CASE WHEN p${i} = 200 THEN c${i} * POWER(2e0, 200) ELSE CAST(c${i} AS DOUBLE) END`, "v"),
    layer(
      (i) =>
        `CASE WHEN v${i} = 0 OR ${isNan(`v${i}`)} OR ABS(v${i}) > ${MAX_DOUBLE} THEN NULL ELSE CAST(FLOOR(LOG2(ABS(v${i}))) AS BIGINT) END`,
      "e",
    ),
    layer((i) => `v${i} * POWER(2e0, 52 - e${i})`, "m"),
  ];
}

function floatText(i: number, { text, isNan }: Expressions): string {
  const isLarge = `ABS(m${i}) >= 9007199254740992e0`;
  const isSmall = `ABS(m${i}) < 4503599627370496e0`;
  const mantissa = `CAST(CASE WHEN ${isLarge} THEN m${i} / 2 WHEN ${isSmall} THEN m${i} * 2 ELSE m${i} END AS BIGINT)`;
  const exponent = `e${i} + CASE WHEN ${isLarge} THEN 1 WHEN ${isSmall} THEN -1 ELSE 0 END - p${i}`;
  return [
    `CASE WHEN c${i} IS NULL THEN NULL WHEN ${isNan(`c${i}`)} THEN 'NaN'`,
    `WHEN c${i} = 0 THEN CASE WHEN ${text(`c${i}`)} LIKE '-%' THEN '-0' ELSE '0' END`,
    `WHEN v${i} > ${MAX_DOUBLE} THEN 'inf' WHEN v${i} < -${MAX_DOUBLE} THEN '-inf'`,
    `ELSE ${text(mantissa)} || 'e' || ${text(exponent)} END`,
  ].join(" ");
}

function sumOf(md5: string, { hex }: Expressions): string {
  return `COALESCE(SUM(CAST(${hex(`SUBSTR(${md5}, 1, 15)`)} AS DECIMAL(20, 0))), 0)`;
}

function equalTo(count: string, sum: string, expected: HashSum | undefined): string {
  return `(${count} = ${expected?.count ?? 0} AND ${sum} = CAST('${expected?.sum ?? 0}' AS DECIMAL(38, 0)))`;
}
