/**
 * icebird reads exported tables over HTTP: numbers, text and booleans, which it returns exactly. It compares keys of deleted rows as
 * JavaScript values, so it finds only keys of these types.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { toHex } from "@cfile/bytes";
import type { KuduTable } from "@cfile/kudu-dir";
import { icebergMetadata, icebergRead } from "icebird";
import { cfileOutput } from "../kudu/cfile-command.js";
import { type Compared, compare, kuduLines, openTable } from "./compared-tables.js";

const TYPES: readonly unknown[] = ["int", "long", "string", "boolean"];
/** Error message of icebird for a table without rows. */
const NO_ROWS = "No data manifest files found";

/** @param times of the snapshots, in order; the first is exported, the others are added */
export async function compareByIcebird(
  result: Compared,
  table: KuduTable,
  { path, output }: { readonly path: string; readonly output: string },
  times: readonly (bigint | undefined)[],
): Promise<void> {
  const server = createServer(async ({ url = "" }, response) => {
    const body = await readFile(join(output, new URL(url, "http://localhost").pathname)).catch(
      () => undefined,
    );
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const tableUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  try {
    await compareVersions(result, table, { path, output, tableUrl }, times);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function compareVersions(
  result: Compared,
  table: KuduTable,
  { path, output, tableUrl }: { readonly path: string; readonly output: string; readonly tableUrl: string },
  times: readonly (bigint | undefined)[],
): Promise<void> {
  const command = ["kudu", "export", path, "--table", table.name, "--to", "iceberg", "-o", output];
  let from: bigint | undefined;
  for (const [i, asOf] of times.entries()) {
    const range = i === 0 ? ["--location", tableUrl] : ["--from", `${from}`];
    await cfileOutput([...command, ...range, ...(asOf === undefined ? [] : ["--as-of", `${asOf}`])]);
    from = asOf;
    const { fields, "identifier-field-ids": keys = [] } = (await openTable(output)).metadata.schema;
    if (i > 0 && fields.some(({ id, type }) => keys.includes(id) && !TYPES.includes(type))) {
      return;
    }
    const kept = fields.flatMap(({ name, type }, column) => (TYPES.includes(type) ? [{ name, column }] : []));
    const wanted = (await kuduLines(table, asOf)).map((line) => {
      const cells = line.split("\t");
      return kept.map(({ column }) => cells[column]).join("\t");
    });
    await compare(result, `${output}, as of ${asOf ?? "now"}`, wanted, async () => {
      const rows = await rowsOf(tableUrl);
      return rows.map((row) => kept.map(({ name }) => textOf(row[name])).join("\t"));
    });
  }
}

async function rowsOf(tableUrl: string): Promise<Record<string, unknown>[]> {
  try {
    return await icebergRead({ tableUrl, metadata: await icebergMetadata({ tableUrl }) });
  } catch (error) {
    if (String(error).includes(NO_ROWS)) {
      return [];
    }
    throw error;
  }
}

/** As `cellTexts`. */
function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) {
    return "~";
  }
  if (typeof cell === "boolean") {
    return cell ? "1" : "0";
  }
  return typeof cell === "string" ? `x${toHex(new TextEncoder().encode(cell))}` : String(cell);
}
