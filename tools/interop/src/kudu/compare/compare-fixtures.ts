/** Runs the comparisons of the rounds over a server directory from the fixtures, without Kudu. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type KuduTablet, openKuduDir } from "@cfile/kudu-dir";
import { Random } from "../../random.js";
import { rewriteBlocks } from "../rewrite-blocks.js";
import type { ClientTable, TabletRows } from "./client-rows.js";
import { compareTable, problemsOf } from "./compare-rows.js";

type JsonCell = null | boolean | number | string | { readonly bits?: string; readonly deleted?: boolean };

interface JsonTimes {
  readonly timestamp: string;
  readonly from: string;
  readonly to: string;
  readonly tablets: Readonly<Record<string, readonly (readonly JsonCell[])[]>>;
}

interface JsonTable {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly id: number }[];
  readonly snapshots: readonly JsonTimes[];
  readonly diffs: readonly JsonTimes[];
}

const GOLDEN = fileURLToPath(new URL("../../../../../fixtures/golden/", import.meta.url));

/** Problems with the files that cfile rewrites, and with the rows that the client read. */
export async function comparedFixtures(): Promise<{ readonly written: number; readonly read: number }> {
  await using dir = await openKuduDir(`${GOLDEN}servers/file`);
  const { different } = await rewriteBlocks(dir, { how: "same", random: new Random(1), write: false });
  let read = (await problemsOf(dir)).length;
  for (const file of readdirSync(`${GOLDEN}cluster-file/rows`)) {
    const json: JsonTable = JSON.parse(readFileSync(`${GOLDEN}cluster-file/rows/${file}`, "utf8"));
    const { tablets } = await dir.table(json.table);
    read += (await compareTable(dir, clientTable(json, tablets))).failures.length;
  }
  return { written: different.length, read };
}

/** The rows in the text format of the driver. */
export function clientTable(
  { table, columns, snapshots, diffs }: JsonTable,
  tablets: readonly KuduTablet[],
): ClientTable {
  const schema = tablets[0]?.schema.columns ?? [];
  const chosen = columns.map(({ id }) => schema.find((column) => column.id === id));
  const isText = chosen.map((column) => ["STRING", "BINARY", "VARCHAR"].includes(column?.type ?? ""));
  const rowsOf = (times: JsonTimes): TabletRows =>
    new Map(
      Object.entries(times.tablets).map(([id, rows]) => [
        id,
        rows.map((row) => row.map((cell, i) => cellText(cell, isText[i] ?? false)).join("\t")),
      ]),
    );
  return {
    name: table,
    columns: chosen.map((column) => column?.name ?? ""),
    snapshots: snapshots.map((times) => ({ timestamp: BigInt(times.timestamp), rows: rowsOf(times) })),
    diffs: diffs.map((times) => ({ from: BigInt(times.from), to: BigInt(times.to), rows: rowsOf(times) })),
  };
}

function cellText(cell: JsonCell, isText: boolean): string {
  if (cell === null) {
    return "~";
  }
  if (typeof cell === "object") {
    return cell.bits ?? (cell.deleted ? "1" : "0");
  }
  if (typeof cell === "boolean") {
    return cell ? "1" : "0";
  }
  return isText ? `x${cell}` : String(cell);
}
