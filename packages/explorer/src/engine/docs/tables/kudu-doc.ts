/** The directories of a Kudu server: tables, tablets, row sets and their blocks. */
import {
  CATALOG_TABLET,
  type KuduDir,
  type KuduTable,
  type KuduTablet,
  type TabletRowSet,
} from "@cfile/kudu-dir";
import { countText, fact } from "../../cells.js";
import { type ChildDoc, type Doc, describe, folderChild, listDoc } from "../doc.js";
import { fileChild } from "../open-file.js";
import { NOT_SHOWN, withoutPrivateKeys } from "./catalog-rows.js";
import { type Table, tableDoc } from "./table-doc.js";

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
  return tabletRowsDoc(tablet, {
    title: `${tableName} · ${id.slice(0, 8)}`,
    schema,
    rowCount,
    facts: [fact("Tablet", id), fact("State", state), fact("Row sets", rowSets.length)],
    scan: (options) => tablet.scan(options),
    children: async () => rowSets.map((rowSet) => rowSetChild(dir, tablet, rowSet)),
  });
}

function tabletRowsDoc({ id }: KuduTablet, table: Table): Doc {
  return tableDoc(id === CATALOG_TABLET ? { ...table, scan: withoutPrivateKeys(table) } : table);
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
      return tabletRowsDoc(tablet, {
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
  // A file of messages lacks their types, which are needed to find private keys.
  const messages = tablet.id === CATALOG_TABLET ? hiddenBlock : block;
  const columns = new Map(tablet.schema.columns.map((column) => [column.id, column]));
  return [
    ...[...blocks.columns].map(([id, at]) => {
      const { name = `column ${id}`, isKey = false } = columns.get(id) ?? {};
      return (isKey ? block : messages)(name, at);
    }),
    ...(blocks.bloom === undefined ? [] : [block("Bloom file", blocks.bloom)]),
    ...(blocks.adhocIndex === undefined ? [] : [block("Key index", blocks.adhocIndex)]),
    ...blocks.redo.map((id, i) => messages(`REDO ${i}`, id)),
    ...blocks.undo.map((id, i) => messages(`UNDO ${i}`, id)),
  ];
}

function hiddenBlock(label: string, id: bigint): ChildDoc {
  const detail = `block ${id}`;
  const view = describe({ title: label, kind: "folder", facts: [fact("Content", NOT_SHOWN)] });
  return { label, detail, kind: "folder", hasChildren: false, open: async () => ({ view }) };
}
