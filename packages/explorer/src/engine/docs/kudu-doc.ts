/** The directories of a Kudu server: tables, tablets, row sets, and the blocks of each. */
import { isCFileError } from "@cfile/bytes";
import type { FileTree } from "@cfile/io";
import {
  type KuduDir,
  type KuduTable,
  type KuduTablet,
  openKuduDir,
  type TabletRowSet,
} from "@cfile/kudu-dir";
import { countText } from "../cells.js";
import { type ChildDoc, type Doc, ListDoc } from "./doc.js";
import { fileChild } from "./open-file.js";
import { TableDoc } from "./table-doc.js";

const CACHE_BYTES = 16 * 1024 * 1024;

/** Folders of one server as one document, folders of several as one each; and the folders that are no server's. */
export async function openKuduDocs(
  folders: readonly FileTree[],
): Promise<{ servers: readonly Doc[]; others: readonly FileTree[] }> {
  const found: KuduDir[] = [];
  const trees: FileTree[] = [];
  const others: FileTree[] = [];
  for (const tree of folders) {
    try {
      found.push(await openKuduDir(tree, { cacheBytes: CACHE_BYTES }));
      trees.push(tree);
    } catch (error) {
      if (!isCFileError(error, "E_NOT_FOUND")) {
        throw error;
      }
      others.push(tree);
    }
  }
  const isOne = new Set(found.map(({ uuid }) => uuid).filter((uuid) => uuid !== undefined)).size <= 1;
  const title = trees.map(({ name }) => name).join(", ");
  const servers =
    isOne && trees.length > 1
      ? [await serverDoc(await openKuduDir(trees, { cacheBytes: CACHE_BYTES }), title)]
      : await Promise.all(found.map((dir, i) => serverDoc(dir, trees[i]?.name ?? "")));
  return { servers, others };
}

async function serverDoc(dir: KuduDir, title: string): Promise<Doc> {
  const tables = await dir.tables();
  const problems = await dir.problems();
  const facts = [
    { label: "Server", value: dir.uuid ?? "unknown" },
    { label: "Tables", value: countText(tables.length) },
    { label: "Encrypted", value: dir.encrypted ? "yes" : "no" },
    ...problems.map(({ code, reason }) => ({ label: code, value: reason })),
  ];
  return new ListDoc(title, facts, () => tables.map((table) => tableChild(dir, table)));
}

function tableChild(dir: KuduDir, { name, id, tablets }: KuduTable): ChildDoc {
  return {
    label: name,
    detail: tablets.length === 1 ? "1 tablet" : `${tablets.length} tablets`,
    kind: "folder",
    hasChildren: true,
    open: async () =>
      new ListDoc(name, [{ label: "Table id", value: id }], () =>
        tablets.map((tablet) => tabletChild(dir, tablet)),
      ),
  };
}

function tabletChild(dir: KuduDir, tablet: KuduTablet): ChildDoc {
  const { id, liveRowCount, schema, rowSets, state } = tablet;
  return {
    label: `Tablet ${id.slice(0, 8)}`,
    detail: liveRowCount === undefined ? state : `${countText(liveRowCount)} rows`,
    kind: "table",
    hasChildren: true,
    open: async () =>
      new TableDoc({
        title: `${tablet.tableName} · ${id.slice(0, 8)}`,
        schema,
        rowCount: liveRowCount,
        facts: [
          { label: "Tablet", value: id },
          { label: "State", value: state },
          { label: "Row sets", value: String(rowSets.length) },
        ],
        scan: (options) => tablet.scan(options),
        children: async () => rowSets.map((rowSet) => rowSetChild(dir, tablet, rowSet)),
      }),
  };
}

function rowSetChild(dir: KuduDir, tablet: KuduTablet, rowSet: TabletRowSet): ChildDoc {
  const { id, blocks } = rowSet;
  const label = `Row set ${id}`;
  return {
    label,
    detail: blocks.liveRowCount === undefined ? "" : `${countText(blocks.liveRowCount)} rows`,
    kind: "table",
    hasChildren: true,
    open: async () => {
      const reader = await rowSet.open();
      return new TableDoc({
        title: `${tablet.tableName} · ${label}`,
        schema: reader.schema,
        rowCount: blocks.liveRowCount,
        facts: [{ label: "Rows of the base data", value: countText(reader.rowCount) }],
        scan: (options) => reader.scan(options),
        children: async () => blockChildren(dir, tablet, rowSet),
      });
    },
  };
}

function blockChildren(dir: KuduDir, tablet: KuduTablet, { blocks }: TabletRowSet): ChildDoc[] {
  const block = (label: string, id: bigint): ChildDoc =>
    fileChild(label, `block ${id}`, async () => (await dir.block(id)).source);
  const names = new Map(tablet.schema.columns.map(({ id, name }) => [id, name]));
  return [
    ...[...blocks.columns].map(([id, at]) => block(names.get(id) ?? `column ${id}`, at)),
    ...(blocks.bloom === undefined ? [] : [block("Bloom file", blocks.bloom)]),
    ...(blocks.adhocIndex === undefined ? [] : [block("Key index", blocks.adhocIndex)]),
    ...blocks.redo.map((id, i) => block(`REDO ${i}`, id)),
    ...blocks.undo.map((id, i) => block(`UNDO ${i}`, id)),
  ];
}
