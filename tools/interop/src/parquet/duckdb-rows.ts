/** Rows of a Parquet file as DuckDB reads them, in the drivers' text. */
import { DuckDBInstance } from "@duckdb/node-api";
import type { TableColumn } from "./random-table.js";

export async function readByDuckDb(path: string, columns: readonly TableColumn[]): Promise<string[]> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "512MB" });
  const connection = await instance.connect();
  try {
    const wanted = columns.map(({ name, type }) => expressionOf(name, type)).join(", ");
    const result = await connection.runAndReadAll(`select ${wanted} from read_parquet('${path}')`);
    return result.getRows().map((row) => row.map((cell, c) => cellText(columns[c]?.type, cell)).join("\t"));
  } catch (error) {
    return [String(error)];
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
      // The ends of the range are infinities to DuckDB.
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
