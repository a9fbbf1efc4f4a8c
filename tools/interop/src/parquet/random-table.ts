/** Random tables with types that Parquet and CFiles share, and files that we write from them. */
import type { CellValue, ColumnBatch, DataType } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink } from "@cfile/io";
import { exportParquet, type WrittenCodec } from "@cfile/parquet/write";
import { type ColumnType, isText, randomCell } from "../kudu/table-plan.js";
import type { Random } from "../random.js";

export interface TableColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** Whether cells are arrays. Default `false`. */
  readonly array?: boolean | undefined;
}

export interface RandomTable {
  readonly columns: readonly TableColumn[];
  /** Cells in the text format of the driver, separated by tabs; elements of arrays by commas, in brackets. */
  readonly rows: readonly string[];
}

const TYPES: readonly ColumnType[] = [
  "BOOL",
  "INT8",
  "INT16",
  "INT32",
  "INT64",
  "UNIXTIME_MICROS",
  "DATE",
  "FLOAT",
  "DOUBLE",
  "STRING",
  "BINARY",
];

const PRIMITIVES: Readonly<Partial<Record<ColumnType, (name: string) => string>>> = {
  BOOL: (name) => `boolean ${name}`,
  INT8: (name) => `int32 ${name} (INT_8)`,
  INT16: (name) => `int32 ${name} (INT_16)`,
  INT32: (name) => `int32 ${name}`,
  INT64: (name) => `int64 ${name}`,
  UNIXTIME_MICROS: (name) => `int64 ${name} (TIMESTAMP(MICROS,true))`,
  DATE: (name) => `int32 ${name} (DATE)`,
  FLOAT: (name) => `float ${name}`,
  DOUBLE: (name) => `double ${name}`,
  STRING: (name) => `binary ${name} (STRING)`,
  BINARY: (name) => `binary ${name}`,
};

/** @param hasArrays whether some columns are arrays, as in Kudu 1.18 */
export function randomTable(random: Random, hasArrays = false): RandomTable {
  const columns = Array.from({ length: random.between(1, 8) }, (_, i) => ({
    name: `c${i}`,
    type: random.pick(TYPES),
    nullable: random.once(2),
    ...(hasArrays && { array: random.once(2) }),
  }));
  const length = random.pick([1, 30, 900, 5000]);
  const often = columns.map(() => random.pick([2, 5, 50]));
  const rows = Array.from({ length }, () =>
    columns
      .map((column, c) => (column.nullable && random.once(often[c] ?? 2) ? "~" : randomText(random, column)))
      .join("\t"),
  );
  return { columns, rows };
}

function randomText(random: Random, { type, array = false }: TableColumn): string {
  const one = (): string => randomCell(random, { type, precision: 9, length: 40 });
  const elements = (): string[] =>
    Array.from({ length: random.below(5) }, () => (random.once(4) ? "~" : one()));
  return array ? `[${elements().join(",")}]` : one();
}

/** In the format of parquet-java. */
export function schemaText({ columns }: RandomTable): string {
  const fields = columns.map(
    ({ name, type, nullable }) => `${nullable ? "optional" : "required"} ${PRIMITIVES[type]?.(name)};`,
  );
  return `message t { ${fields.join(" ")} }`;
}

export async function writeOurs(
  random: Random,
  { columns, rows }: RandomTable,
  codec: WrittenCodec,
): Promise<{ bytes: Uint8Array; options: string }> {
  const options = {
    codec,
    dataPageVersion: random.pick([1, 2] as const),
    pageRows: random.pick([10, 700, 20_000]),
    rowGroupRows: random.pick([100, 100_000]),
    statistics: random.pick(["page", "chunk", "none"] as const),
  };
  const cells = rows.map((row) => row.split("\t"));
  const batches = columns.map(({ type, nullable, array = false }, c): ColumnBatch => {
    const dataType: DataType = type === "DECIMAL" ? "DECIMAL64" : type;
    return batchFromValues(
      { type: dataType, nullable, array },
      cells.map((row) => (array ? arrayValue(type, row[c] ?? "~") : cellValue(type, row[c] ?? "~"))),
    );
  });
  async function* portions() {
    yield { length: rows.length, firstRow: 0, columns: batches, names: columns.map(({ name }) => name) };
  }
  const sink = memorySink();
  const described = columns.map(({ name, type, nullable, array = false }) => {
    const dataType: DataType = type === "DECIMAL" ? "DECIMAL64" : type;
    return { name, type: dataType, nullable, array };
  });
  await exportParquet(sink, { columns: described, rows: portions() }, options);
  return { bytes: sink.bytes(), options: JSON.stringify(options) };
}

function arrayValue(type: ColumnType, cell: string): CellValue[] | null {
  const text = cell.slice(1, -1);
  return cell === "~" ? null : text === "" ? [] : text.split(",").map((one) => cellValue(type, one));
}

function cellValue(type: ColumnType, cell: string): CellValue {
  if (cell === "~") {
    return null;
  }
  if (type === "BOOL") {
    return cell === "1";
  }
  if (type === "FLOAT" || type === "DOUBLE") {
    const bytes = Buffer.from(cell, "hex");
    return type === "FLOAT" ? bytes.readFloatBE() : bytes.readDoubleBE();
  }
  if (isText(type)) {
    return new Uint8Array(Buffer.from(cell.slice(1), "hex"));
  }
  return type === "INT64" || type === "UNIXTIME_MICROS" ? BigInt(cell) : Number(cell);
}
