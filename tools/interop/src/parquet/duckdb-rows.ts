/** Rows of a Parquet file as DuckDB reads them, in the text format of the drivers. */
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { runProcess } from "../processes.js";
import type { TableColumn } from "./random-table.js";

const CHILD = fileURLToPath(new URL("duckdb-child.js", import.meta.url));

export async function readByDuckDb(path: string, columns: readonly TableColumn[]): Promise<string[]> {
  const wanted = columns.map(({ name, type }) => expressionOf(name, type)).join(", ");
  try {
    const rows = await query(`select ${wanted} from read_parquet('${path}')`);
    return rows.map((row) => row.map((cell, c) => cellText(columns[c]?.type, cell)).join("\t"));
  } catch (error) {
    return [String(error)];
  }
}

/** The same, in a separate process, for files that may crash DuckDB. */
export async function readByOtherProcess(path: string, columns: readonly TableColumn[]): Promise<string[]> {
  try {
    const rows: string[] = JSON.parse(
      await runProcess(process.execPath, [CHILD, path, JSON.stringify(columns)]),
    );
    return rows;
  } catch (error) {
    return [`Error: ${String(error)}`];
  }
}

/** Copies a Parquet file to another. */
export async function copyByDuckDb(
  from: string,
  to: string,
  options: Readonly<Record<string, string | number>>,
): Promise<void> {
  const list = Object.entries(options).map(([name, value]) => `, ${name} ${value}`);
  await query(`copy (select * from read_parquet('${from}')) to '${to}' (format parquet${list.join("")})`);
}

async function query(sql: string): Promise<readonly (readonly unknown[])[]> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "512MB" });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRows();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function expressionOf(name: string, type: TableColumn["type"]): string {
  switch (type) {
    case "BOOL":
    case "FLOAT":
    case "DOUBLE":
      return name;
    case "STRING":
      return `hex(encode(${name}))`;
    case "BINARY":
      return `hex(${name})`;
    case "DATE":
      return `cast(${name} - date '1970-01-01' as varchar)`;
    case "UNIXTIME_MICROS":
      // DuckDB reads the ends of the range as infinities.
      return `case when isinf(${name}) then if(${name} > '2000-01-01', '9223372036854775807', '-9223372036854775807') else cast(epoch_us(${name}) as varchar) end`;
    default:
      return `cast(${name} as varchar)`;
  }
}

function cellText(type: TableColumn["type"] | undefined, cell: unknown): string {
  if (cell === null) {
    return "~";
  }
  if (typeof cell === "boolean") {
    return cell ? "1" : "0";
  }
  if (typeof cell === "number") {
    const bytes = Buffer.alloc(type === "FLOAT" ? 4 : 8);
    if (type === "FLOAT") {
      bytes.writeFloatBE(cell);
    } else {
      bytes.writeDoubleBE(cell);
    }
    return bytes.toString("hex");
  }
  return type === "STRING" || type === "BINARY" ? `x${String(cell).toLowerCase()}` : String(cell);
}
