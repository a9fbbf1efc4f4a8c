/** Directories of Kudu servers. */
import { decimalText } from "@cfile/cell-text";
import { kuduText } from "./cell-text.js";
import { type GoldenCase, json, MAX_ROWS } from "./golden-case.js";

interface ClientRows {
  readonly table: string;
  readonly columns: readonly { readonly type: string; readonly scale?: number }[];
  readonly snapshots: readonly { readonly tablets: Record<string, readonly (readonly unknown[])[]> }[];
}

/** The last snapshot that Kudu's client read from a tablet of at least `MAX_ROWS` rows, if there is one. */
export function serverCase(folder: string, facts: string, kind: string): GoldenCase {
  const { table, columns, snapshots } = json<ClientRows>(facts);
  const tablets = Object.entries(snapshots.at(-1)?.tablets ?? {});
  const [id = "", rows = []] = tablets.find(([, all]) => all.length >= MAX_ROWS) ?? tablets[0] ?? [];
  const cellText = (value: unknown, column: number): string => {
    const { type = "", scale } = columns[column] ?? {};
    return scale === undefined || value === null
      ? kuduText(value, type.replace("Type: ", "").toUpperCase())
      : decimalText(BigInt(String(value)), scale);
  };
  return {
    path: folder,
    kind,
    reach: async (editor) => {
      await editor.click(`Expand ${table}`);
      await editor.click(new RegExp(`^Tablet ${id.slice(0, 8)}`));
      // Several replicas are compared first.
      await editor.tab("Data");
    },
    rows: rows.slice(0, MAX_ROWS).map((row) => row.map(cellText)),
  };
}

/** Several servers: the rows that Kudu's client read after the killed servers were restarted. */
export function clusterCase(name: string, table: string): GoldenCase {
  return serverCase(`kudu-cluster/${name}`, `kudu-cluster/${name}/after/${table}.json`, "a Kudu cluster");
}

/** A master: its only table is the catalog. */
export function masterCase(name: string, shows: readonly string[]): GoldenCase {
  return {
    path: `server-masters/${name}`,
    kind: "a master",
    reach: (editor) => editor.click("Expand sys.catalog"),
    shows,
    rows: [],
  };
}

/** A tablet whose rows are only in its log. */
export function logOnlyCase(): GoldenCase {
  return {
    path: "comes-back/ts",
    kind: "a server killed before its first flush",
    reach: (editor) => editor.click("Expand comes_back"),
    shows: ["Tablet cd9ec83f"],
    rows: [],
  };
}
