/** The root directory of HBase: its tables and snapshots, their regions over the key space, store files, and cells. */
import {
  type HBaseRoot,
  type HBaseTable,
  openHBaseRoot,
  type RegionFiles,
  type RegionInfo,
  type TableCells,
  type TableScanOptions,
} from "@cfile/hbase";
import type { FileTree } from "@cfile/io";
import type { RegionsView } from "../../../protocol.js";
import { bytesText, countText, fact, sizeText } from "../../cells.js";
import { streamedRows } from "../../export/streamed-rows.js";
import { type ChildDoc, type Doc, describe, folderChild, listDoc, type Work } from "../doc.js";
import { CELL_COLUMNS, cellRow } from "../hfile-doc.js";
import { fileChild } from "../open-file.js";

const CACHE_BYTES = 16 * 1024 * 1024;
/** Maximum number of families to show per table. */
const MAX_FAMILIES = 8;

/** Whether the folder is the root directory of HBase, or a part of it that can be read. */
export function looksLikeHBase(entries: readonly { readonly name: string }[]): boolean {
  const names = new Set(entries.map(({ name }) => name));
  return ["hbase.version", "hbase.id", ".hbase-snapshot"].some((name) => names.has(name));
}

export async function openHBaseDoc(tree: FileTree, title: string): Promise<Doc> {
  const root = await openHBaseRoot(tree, { cacheBytes: CACHE_BYTES, indexCacheBytes: CACHE_BYTES });
  // `hbase:meta` sorts its rows differently.
  const tables = (await root.tables()).filter((name) => name !== "hbase:meta");
  const snapshots = await root.snapshots();
  const facts = [fact("Tables", tables.length), fact("Snapshots", snapshots.length)];
  return listDoc(title, facts, () => [
    ...tables.map((name) => tableChild(root, name, "table", () => root.openTable(name))),
    ...(snapshots.length === 0
      ? []
      : [
          folderChild("Snapshots", String(snapshots.length), async () =>
            listDoc("Snapshots", [], () =>
              snapshots.map((name) => tableChild(root, name, "snapshot", () => root.openSnapshot(name))),
            ),
          ),
        ]),
  ]);
}

function tableChild(
  root: HBaseRoot,
  label: string,
  detail: string,
  open: () => Promise<HBaseTable>,
): ChildDoc {
  return {
    label,
    detail,
    kind: "table",
    hasChildren: true,
    open: async () => tableDoc(root, await open(), label),
  };
}

function tableDoc({ tree }: HBaseRoot, table: HBaseTable, title: string): Doc {
  const { descriptor, regions, snapshot, name } = table;
  const families = descriptor.families.slice(0, MAX_FAMILIES).map((family) => {
    const { maxVersions, ttlSeconds } = family;
    const ttl = ttlSeconds === undefined ? "" : `, TTL ${countText(ttlSeconds)} s`;
    return fact(
      `Family ${family.name}`,
      `${maxVersions} ${maxVersions === 1 ? "version" : "versions"}${ttl}`,
    );
  });
  return {
    view: describe({
      title,
      kind: "table",
      facts: [
        ...(snapshot === undefined
          ? []
          : [fact("Snapshot of", name), fact("Taken", new Date(snapshot.creationTime).toISOString())]),
        fact("Regions", regions.length),
        ...families,
      ],
      tabs: ["regions", "data"],
      columns: CELL_COLUMNS,
      searchHint: "row key as text",
      hasChildren: true,
    }),
    regions: (_, work) => regionsOf(table, work),
    rows: rowsOf(table, {}),
    find: async ({ text }, { signal }) => {
      const cells = await table.get(text, { signal });
      return { text: cells.length === 0 ? "Not in the table." : `Found: ${foundText(cells)}.` };
    },
    children: async () => regions.map((region) => regionChild(tree, table, region)),
  };
}

/** Cells of the newest versions. */
function rowsOf(table: HBaseTable, rows: Pick<TableScanOptions, "startRow" | "stopRow">) {
  return streamedRows<Uint8Array>((from) => readCells(table, { ...rows, ...(from && { startRow: from }) }));
}

function foundText(cells: TableCells): string {
  const shown = Array.from(
    { length: Math.min(3, cells.length) },
    (_, i) =>
      `${cells.family(i)}:${bytesText(cells.qualifier(i))} = ${JSON.stringify(bytesText(cells.value(i)))}`,
  );
  return `${cells.length === 1 ? "1 cell" : `${cells.length} cells`}, ${shown.join(", ")}${cells.length > 3 ? ", …" : ""}`;
}

async function* readCells(table: HBaseTable, options: TableScanOptions) {
  for await (const cells of table.scan(options)) {
    const rows = Array.from({ length: cells.length }, (_, i) =>
      cellRow({
        row: cells.row(i),
        family: cells.family(i),
        qualifier: cells.qualifier(i),
        timestamp: cells.timestamp(i),
        type: cells.type(i),
        value: cells.value(i),
      }),
    );
    // A batch can start in the middle of a row.
    const position = cells.rowStarts[0] === 0 ? cells.row(0) : undefined;
    yield { rows, position };
  }
}

async function regionsOf(table: HBaseTable, { signal, progress }: Work): Promise<RegionsView> {
  const regions: RegionsView["regions"][number][] = [];
  for (const { encodedName, startKey, endKey } of table.regions) {
    signal.throwIfAborted();
    const files = await table.files(encodedName);
    regions.push({
      name: encodedName,
      from: startKey.length === 0 ? "" : bytesText(startKey),
      to: endKey.length === 0 ? "" : bytesText(endKey),
      files: files.length,
      bytes: bytesOf(files),
      cells: files.reduce((total, { entries = 0 }) => total + entries, files.unflushed),
    });
    progress({ done: regions.length, total: table.regions.length });
  }
  return { regions };
}

function bytesOf(files: RegionFiles): number {
  return files.reduce((total, { bytes }) => total + bytes, 0);
}

function regionChild(tree: FileTree, table: HBaseTable, region: RegionInfo): ChildDoc {
  const { encodedName, startKey, endKey } = region;
  const label = startKey.length === 0 ? "First region" : `Region from ${bytesText(startKey)}`;
  return {
    label,
    detail: encodedName.slice(0, 8),
    kind: "table",
    hasChildren: true,
    open: async () => {
      const files = await table.files(encodedName);
      return {
        rows: rowsOf(table, { startRow: startKey, stopRow: endKey }),
        view: describe({
          title: `${table.name} · ${label}`,
          kind: "table",
          facts: [
            fact("Encoded name", encodedName),
            fact("Rows before", endKey.length === 0 ? "the end" : bytesText(endKey)),
            fact("Store files", files.length),
            fact("Size", sizeText(bytesOf(files))),
            fact("Unflushed cells", files.unflushed),
          ],
          tabs: ["data"],
          columns: CELL_COLUMNS,
          hasChildren: files.length > 0,
        }),
        children: async () =>
          files.map(({ family, name, kind, path, bytes }) => {
            const how = kind === "hfile" ? "" : `, ${kind}`;
            return fileChild(`${family}/${name}`, `${sizeText(bytes)}${how}`, () => tree.openSource(path));
          }),
      };
    },
  };
}
