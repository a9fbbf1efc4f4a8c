/** HFiles, root directories of HBase, and Hudi tables. */
import { printable } from "@cfile/cell-text";
import { hexText } from "./cell-text.js";
import { type GoldenCase, json, MAX_ROWS } from "./golden-case.js";
import { HUDI_TABLE } from "./golden-server.js";
import type { WebEditor } from "./web-editor.js";

const CELL_TYPE = "Put";
/** Hudi's cells have the maximum timestamp. */
const NO_TIMESTAMP = String(2n ** 63n - 1n);

interface GoldenCell {
  readonly row: string;
  readonly family: string;
  readonly qualifier: string;
  readonly timestamp: string;
  readonly type: string;
  readonly value: string;
}

export function hbaseFileCase(name: string): GoldenCase {
  const { first_entries: cells } = json<{ first_entries: GoldenCell[] }>(`hfile/${name}.json`);
  return {
    path: `hfile/${name}.hfile`,
    kind: "an HFile of HBase",
    rows: cells
      .slice(0, MAX_ROWS)
      .map(({ row, family, qualifier, timestamp, type, value }) => [
        hexText(row),
        `${hexText(family)}:${hexText(qualifier)}`,
        timestamp,
        `${type.charAt(0)}${type.slice(1).toLowerCase()}`,
        printable(hexText(value)),
      ]),
  };
}

export function hudiFileCase(name: string): GoldenCase {
  const { entries } = json<{ entries: [string, string][] }>(`hfile/${name}.json`);
  const isText = (hex: string): boolean => /^(?:[2-6][0-9a-f]|7[0-9a-e])*$/.test(hex);
  return {
    path: `hfile/${name}.hfile`,
    kind: "an HFile of Hudi",
    rows: entries
      .slice(0, MAX_ROWS)
      .map(([key, value]) => [
        hexText(key),
        ":",
        NO_TIMESTAMP,
        CELL_TYPE,
        ...(isText(value) ? [hexText(value)] : []),
      ]),
  };
}

type FactCell = readonly [
  row: string,
  family: string,
  qualifier: string,
  timestamp: number,
  type: number,
  value: string,
];

/** The cells that HBase's snapshot scanner returned. */
export function snapshotCase(folder: string, snapshot: string): GoldenCase {
  return hbaseRootCase(folder, `snapshot.${snapshot}`, async (editor) => {
    await editor.click("Expand Snapshots");
    await editor.click(new RegExp(`^${snapshot} *snapshot`));
  });
}

/** The cells that HBase's client returned from a table. */
export function hbaseTableCase(folder: string, table: string): GoldenCase {
  return hbaseRootCase(folder, table, (editor) => editor.click(new RegExp(`^${table} `)));
}

/** For each row, its first cell and the number of its cells. */
function hbaseRootCase(
  folder: string,
  facts: string,
  open: (editor: WebEditor) => Promise<void>,
): GoldenCase {
  const { cells, scans } = json<{ cells: FactCell[]; scans: { cells: [number, number][] }[] }>(
    `${folder}/facts/${facts}.json`,
  );
  const returned = (scans[0]?.cells ?? []).flatMap(([from, count]) => cells.slice(from, from + count));
  return {
    path: `${folder}/root`,
    kind: "a root directory of HBase",
    reach: async (editor) => {
      await open(editor);
      await editor.tab("Data");
    },
    rows: returned
      .slice(0, MAX_ROWS)
      .map(([row, family, qualifier, timestamp]) => [
        hexText(row),
        `${family}:${hexText(qualifier)}`,
        String(timestamp),
        CELL_TYPE,
      ]),
  };
}

/** The rows that Spark returned. Columns of lists, structs and maps follow the compared columns. */
export function hudiTableCase(): GoldenCase {
  const { latest } = json<{ latest: unknown[][] }>(`${HUDI_TABLE}.rows.json`);
  return {
    path: HUDI_TABLE,
    kind: "a Hudi table",
    isUnordered: true,
    rows: latest.map((row) => row.slice(0, 12).map((value) => (value === null ? "null" : String(value)))),
  };
}
