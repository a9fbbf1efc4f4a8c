/** Columns, Bloom files and delta files. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openCFile } from "cfile";
import { hexText, kuduText } from "./cell-text.js";
import { type GoldenCase, json, MAX_ROWS } from "./golden-case.js";
import { GOLDEN } from "./golden-server.js";

export function columnCase(name: string): GoldenCase {
  const { type, values } = json<{ type: string; values: unknown[] }>(`${name}.json`);
  return {
    path: `${name}.cfile`,
    kind: `a column of ${type}`,
    rows: values.slice(0, MAX_ROWS).map((value) => [kuduText(value, type)]),
  };
}

/** The JSON of a long column has a formula instead of values. */
export function formulaCase(name: string, textAt: (row: number) => string): GoldenCase {
  const rows = Array.from({ length: MAX_ROWS }, (_, row) => [textAt(row)]);
  return { path: `${name}.cfile`, kind: "a long column", rows };
}

export function bloomCase(name: string): GoldenCase {
  const golden = json<{
    n_hashes: number;
    n_bytes: number;
    layout: { validx: { entries: { key: string }[] } };
  }>(`bloomfile/${name}.json`);
  const { entries } = golden.layout.validx;
  return {
    path: `bloomfile/${name}.cfile`,
    kind: "a Bloom file",
    // Later columns have the set bits and derived values; the last one has the first key.
    reach: async (editor) => {
      await editor.tab("Data");
      const cells = await editor.cells(Math.min(entries.length, MAX_ROWS));
      const keys = entries.slice(0, cells.length).map(({ key }) => hexText(key));
      if (cells.map((row) => row.at(-1)).join() !== keys.join()) {
        throw new Error(`keys: ${cells.map((row) => row.at(-1))} (expected ${keys})`);
      }
    },
    rows: entries
      .slice(0, MAX_ROWS)
      .map((_, i) => [String(i), String(golden.n_hashes), (golden.n_bytes * 8).toLocaleString("en-US")]),
  };
}

interface Delta {
  readonly row_idx: number;
  readonly timestamp: string;
  readonly type: string;
  readonly updates?: readonly { readonly col_id: number; readonly null: boolean; readonly raw?: string }[];
}

export function deltaCase(name: string): GoldenCase {
  const { deltas, delta_type: kind } = json<{ deltas: Delta[]; delta_type: string }>(
    `deltafile/${name}.json`,
  );
  const updateText = ({ col_id: id, null: isNull, raw = "" }: NonNullable<Delta["updates"]>[number]) =>
    `${id} = ${isNull ? "null" : `0x${raw.slice(0, 64)}`}`;
  return {
    path: `deltafile/${name}.cfile`,
    kind: `a delta file, ${kind}`,
    rows: deltas
      .slice(0, MAX_ROWS)
      .map(({ row_idx: row, timestamp, type, updates = [] }) => [
        String(row),
        timestamp,
        type,
        updates.map(updateText).join(", "),
      ]),
  };
}

/** A delta file of a running server, with the statistics that Kudu's tool printed. */
export function serverDeltaCase(name: string, kindText: string): GoldenCase {
  const found = json<{ name: string; kind: string; entries: number; delta_stats: string }[]>(
    "cluster-deltas/facts.json",
  ).find((fact) => fact.name === name);
  const { kind, entries, delta_stats: statistics } = found ?? { kind: "", entries: -1, delta_stats: "" };
  const numbers = /\[(\d+), (\d+)\], delete_count=\[(\d+)\], reinsert_count=\[(\d+)\]/.exec(statistics) ?? [];
  const [, first, last, deleted, reinserted] = numbers;
  return {
    path: `cluster-deltas/${name}.cfile`,
    kind: `a delta file of a server, ${kind}`,
    reach: async (editor) => {
      await editor.tab("Data");
      await editor.cells(Math.min(entries, MAX_ROWS));
    },
    shows: [kindText, `${first} to ${last}`, `${deleted}, ${reinserted}`, String(entries)],
    rows: [],
  };
}

/** A Bloom file of a row set: it has the keys of the column next to it. */
export function rowSetBloomCase(name: string): GoldenCase {
  return {
    path: `rowset-blooms/${name}_bloom.cfile`,
    kind: "a Bloom file of a row set",
    reach: async (editor) => {
      const keys = await openCFile(await readFile(join(GOLDEN, `rowset-blooms/${name}_keys.cfile`)));
      await editor.tab("Data");
      for (const row of [0, keys.rowCount - 1]) {
        await editor.search(String(await keys.get(row)));
        await editor.view.getByText("Possibly in the row set").waitFor();
        await editor.search("no such key");
        await editor.view.getByText("Not in the row set").waitFor();
      }
    },
    shows: ["Not in the row set"],
    rows: [],
  };
}
