/** One golden file or folder of each kind, how to reach its rows, and the rows that its JSON says it has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { doubleText, floatText, printable } from "@cfile/cell-text";
import { hexText, kuduText } from "./cell-text.js";
import { GOLDEN, HUDI_TABLE } from "./golden-server.js";
import type { WebEditor } from "./web-editor.js";

export interface GoldenCase {
  /** Below the golden folder. */
  readonly path: string;
  readonly kind: string;
  /** Goes from the opened file to its rows; by default to the tab of the data. */
  readonly reach?: (editor: WebEditor) => Promise<void>;
  /** First rows; of each row, its first cells. */
  readonly rows: readonly (readonly string[])[];
  /** Whether `rows` are all rows, in another order. */
  readonly isUnordered?: boolean;
}

const MAX_ROWS = 20;
const CELL_TYPE = "Put";
/** Hudi's cells have the maximum timestamp. */
const NO_TIMESTAMP = String(2n ** 63n - 1n);

function json<T>(path: string): T {
  return JSON.parse(readFileSync(join(GOLDEN, path), "utf8"));
}

function columnCase(name: string): GoldenCase {
  const { type, values } = json<{ type: string; values: unknown[] }>(`${name}.json`);
  return {
    path: `${name}.cfile`,
    kind: `a column of ${type}`,
    rows: values.slice(0, MAX_ROWS).map((value) => [kuduText(value, type)]),
  };
}

function bloomCase(name: string): GoldenCase {
  const golden = json<{
    n_hashes: number;
    n_bytes: number;
    layout: { validx: { entries: { key: string }[] } };
  }>(`bloomfile/${name}.json`);
  const { entries } = golden.layout.validx;
  return {
    path: `bloomfile/${name}.cfile`,
    kind: "a Bloom file",
    // Then come the bits that are set and what follows from them; the first key is last.
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

function deltaCase(name: string): GoldenCase {
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

interface GoldenCell {
  readonly row: string;
  readonly family: string;
  readonly qualifier: string;
  readonly timestamp: string;
  readonly type: string;
  readonly value: string;
}

function hbaseFileCase(name: string): GoldenCase {
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

function hudiFileCase(name: string): GoldenCase {
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

interface ParquetColumn {
  readonly row_group: number;
  readonly type: string;
  readonly max_def: number;
  readonly values: readonly unknown[];
  readonly definition_levels?: readonly number[];
}

/** Flat columns only. INT96 and annotated types have other texts: `texts` has their functions by column. */
function parquetCase(name: string, texts: Readonly<Record<number, (value: unknown) => string>>): GoldenCase {
  const { columns } = json<{ columns: ParquetColumn[] }>(`parquet/${name}.json`);
  const first = columns.filter(({ row_group: group }) => group === 0);
  const cells = first.map(({ type, max_def: defined, values, definition_levels: levels }, i) => {
    const text = texts[i] ?? ((value: unknown) => parquetText(value, type));
    let next = 0;
    return (levels ?? values.map(() => defined))
      .slice(0, MAX_ROWS)
      .map((level) => (level === defined ? text(values[next++]) : "null"));
  });
  return {
    path: `parquet/${name}.parquet`,
    kind: "a Parquet file",
    rows: (cells[0] ?? []).map((_, row) => cells.map((column) => column[row] ?? "")),
  };
}

/** Floating-point numbers are hexadecimal, little-endian; bytes are as the page shows bytes that have no type. */
function parquetText(value: unknown, type: string): string {
  const hex = Buffer.from(String(value), "hex");
  switch (type) {
    case "FLOAT":
      return floatText(hex.readFloatLE());
    case "DOUBLE":
      return doubleText(hex.readDoubleLE());
    default:
      return String(value);
  }
}

/** The last snapshot that Kudu's client read from a tablet of at least `MAX_ROWS` rows, if there is one. */
function serverCase(folder: string, facts: string, kind: string): GoldenCase {
  const { table, columns, snapshots } = json<{
    table: string;
    columns: { type: string }[];
    snapshots: { tablets: Record<string, unknown[][]> }[];
  }>(facts);
  const tablets = Object.entries(snapshots.at(-1)?.tablets ?? {});
  const [id = "", rows = []] = tablets.find(([, all]) => all.length >= MAX_ROWS) ?? tablets[0] ?? [];
  const types = columns.map(({ type }) => type.replace("Type: ", "").toUpperCase());
  return {
    path: folder,
    kind,
    reach: async (editor) => {
      await editor.click(`Open ${table}`);
      await editor.click(new RegExp(`^Tablet ${id.slice(0, 8)}`));
    },
    rows: rows.slice(0, MAX_ROWS).map((row) => row.map((value, i) => kuduText(value, types[i] ?? ""))),
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

/** What HBase's scanner of snapshots returned: of each row, its first cell and the number of its cells. */
function snapshotCase(folder: string, snapshot: string): GoldenCase {
  const { cells, scans } = json<{ cells: FactCell[]; scans: { cells: [number, number][] }[] }>(
    `${folder}/facts/snapshot.${snapshot}.json`,
  );
  const returned = (scans[0]?.cells ?? []).flatMap(([from, count]) => cells.slice(from, from + count));
  return {
    path: `${folder}/root`,
    kind: "a root directory of HBase",
    reach: async (editor) => {
      await editor.click("Open Snapshots");
      await editor.click(new RegExp(`^${snapshot} *snapshot`));
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

/** The rows that Spark returned. Columns of lists, structs and maps follow those that are compared. */
function hudiTableCase(): GoldenCase {
  const { latest } = json<{ latest: unknown[][] }>(`${HUDI_TABLE}.rows.json`);
  return {
    path: HUDI_TABLE,
    kind: "a Hudi table",
    isUnordered: true,
    rows: latest.map((row) => row.slice(0, 12).map((value) => (value === null ? "null" : String(value)))),
  };
}

export const GOLDEN_CASES: readonly GoldenCase[] = [
  ...[
    "enc_int32_plain_n1000",
    "enc_int64_bshuf_null_n1000",
    "enc_uint16_rle_n1000",
    "enc_int128_bshuf_n1000",
    "enc_bool_rle_null_n1000",
    "enc_float_plain_n7",
    "enc_double_bshuf_null_n8",
    "enc_date_bshuf_n9",
    "enc_unixtime_micros_bshuf_n1000",
    "enc_decimal128_plain_n7",
    "enc_string_dict_null_n1000",
    "enc_varchar_prefix_n1000",
    "enc_binary_plain_n9",
    "comp_zlib_string_plain_null",
    "array_example_a_plain",
    "array_string_dict",
    "v1_string_dict",
  ].map(columnCase),
  bloomCase("bloom_small"),
  bloomCase("bloom_default_strings"),
  deltaCase("delta_redo_small"),
  deltaCase("delta_undo_zlib_smallblocks"),
  hbaseFileCase("hbase_2_6_1_4KB_NONE_tags"),
  hbaseFileCase("hbase_2_6_1_4KB_GZ_FAST_DIFF"),
  hudiFileCase("hudi_1_2_native_1KB_NONE_400"),
  parquetCase("alltypes_plain", { 10: impalaTime }),
  parquetCase("rle_boolean_encoding", {}),
  parquetCase("int32_decimal", {}),
  serverCase("servers/log/ts", "servers/log/rows/altered.json", "a Kudu server"),
  serverCase("servers/file/ts", "cluster-file/rows/altered.json", "a Kudu server with a file per block"),
  serverCase("servers/encrypted/ts", "servers/encrypted/rows/small.json", "an encrypted Kudu server"),
  serverCase("kudu-versions/1.9.0/ts", "kudu-versions/1.9.0/rows/history.json", "a server of Kudu 1.9"),
  snapshotCase("hbase-root", "s-t1x0-0"),
  hudiTableCase(),
];

/** INT96: nanoseconds of the day, and the Julian day, little-endian. */
function impalaTime(value: unknown): string {
  const bytes = Buffer.from(String(value), "hex");
  const milliseconds =
    (bytes.readUInt32LE(8) - 2_440_588) * 86_400_000 + Number(bytes.readBigUInt64LE() / 1_000_000n);
  return new Date(milliseconds).toISOString().replace("Z", "000Z");
}
