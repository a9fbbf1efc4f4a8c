/** The directories of a Kudu server: tables, tablets, row sets and their blocks. */
import type { KuduDir, KuduTable, KuduTablet, TabletRowSet } from "@cfile/kudu-dir";
import { countText, fact } from "../../cells.js";
import { type ChildDoc, type Doc, folderChild, listDoc } from "../doc.js";
import { fileChild } from "../open-file.js";
import { tableDoc } from "./table-doc.js";

export async function serverDoc(dir: KuduDir, title: string): Promise<Doc> {
  const tables = await dir.tables();
  const facts = [
    fact("Server", dir.uuid ?? "unknown"),
    fact("Tables", tables.length),
    fact("Encrypted", dir.encrypted ? "yes" : "no"),
    ...(await dir.problems()).map(({ code, reason }) => fact(code, reason)),
  ];
  return listDoc(title, facts, () => tables.map((table) => tableChild(dir, table)));
}

function tableChild(dir: KuduDir, { name, id, tablets }: KuduTable): ChildDoc {
  const children = () => tablets.map((tablet) => tabletChild(dir, tablet));
  const detail = tablets.length === 1 ? "1 tablet" : `${tablets.length} tablets`;
  return folderChild(name, detail, async () => listDoc(name, [fact("Table ID", id)], children));
}

function tabletChild(dir: KuduDir, tablet: KuduTablet): ChildDoc {
  const { id, liveRowCount: rowCount, state } = tablet;
  return {
    label: `Tablet ${id.slice(0, 8)}`,
    detail: rowCount === undefined ? state : `${countText(rowCount)} rows`,
    kind: "table",
    hasChildren: true,
    open: async () => tabletDoc(dir, tablet),
  };
}

export function tabletDoc(dir: KuduDir, tablet: KuduTablet): Doc {
  const { id, liveRowCount: rowCount, schema, rowSets, state, tableName } = tablet;
  return tableDoc({
    title: `${tableName} · ${id.slice(0, 8)}`,
    schema,
    rowCount,
    facts: [fact("Tablet", id), fact("State", state), fact("Row sets", rowSets.length)],
    scan: (options) => tablet.scan(options),
    children: async () => rowSets.map((rowSet) => rowSetChild(dir, tablet, rowSet)),
  });
}

function rowSetChild(dir: KuduDir, tablet: KuduTablet, rowSet: TabletRowSet): ChildDoc {
  const { liveRowCount: rowCount } = rowSet.blocks;
  const label = `Row set ${rowSet.id}`;
  return {
    label,
    detail: rowCount === undefined ? "" : `${countText(rowCount)} rows`,
    kind: "table",
    hasChildren: true,
    open: async () => {
      const reader = await rowSet.open();
      return tableDoc({
        title: `${tablet.tableName} · ${label}`,
        schema: reader.schema,
        rowCount,
        facts: [fact("Rows of the base data", reader.rowCount)],
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
