/** Golden tables: folders written by Hudi, unpacked into memory, and facts that Hudi reported about them. */
import { gunzipSync } from "node:zlib";
import { type FileTree, memoryTree } from "@cfile/io";
import { type Archive, readGolden, readGoldenJson, unpackTar } from "@cfile-tools/testkit";

export const TABLES = ["cow_v9", "mor_v9", "mor_v8_flat", "mor_v6_h015"] as const;
export type TableName = (typeof TABLES)[number];

type Slice = readonly [fileId: string, baseInstant: string, baseFile: string | null, logs: readonly string[]];

export interface Facts {
  readonly marks: Readonly<Record<"early" | "middle" | "late", string>>;
  readonly last_completed: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly active_timeline: readonly (readonly (string | null)[])[];
  readonly archived_timeline: readonly (readonly (string | null)[])[];
  readonly metadata_active_timeline: readonly (readonly (string | null)[])[];
  readonly metadata_archived_timeline: readonly (readonly (string | null)[])[];
  readonly partitions: readonly string[];
  readonly files: Readonly<Record<string, readonly (readonly [string, number])[]>>;
  readonly file_slices: Readonly<Record<string, Readonly<Record<string, readonly Slice[]>>>>;
  readonly metadata_file_slices: Readonly<Record<string, readonly Slice[]>>;
  readonly valid_metadata_instants: readonly string[];
  readonly row_count: number;
  readonly record_index: readonly (readonly [string, string, string, string])[];
  readonly bloom_filters: {
    readonly probes: readonly string[];
    readonly filters: readonly (readonly [string, string, string, string, string])[];
  };
  readonly column_stats: { readonly records: readonly (readonly unknown[])[] };
}

export type Row = readonly unknown[];
type RowList = readonly (Row | number)[];

export interface RowFacts {
  readonly columns: readonly (readonly [string, string])[];
  readonly latest: readonly Row[];
  readonly incremental_bounds: Readonly<Record<string, string>>;
}

export const factsOf = (name: TableName): Facts => readGoldenJson(`hudi-table/${name}.json`);

export function rowFacts(name: TableName): RowFacts & Readonly<Record<string, unknown>> {
  return readGoldenJson(`hudi-table/${name}.rows.json`);
}

/** The rows of an entry, or the reason why Hudi rejected it. */
export function rowsOf(
  facts: RowFacts & Readonly<Record<string, unknown>>,
  entry: string,
): readonly Row[] | { refused: string } {
  const listed = facts[entry] as RowList | { refused: string };
  return "refused" in listed
    ? listed
    : listed.map((row) => (typeof row === "number" ? (facts.latest[row] as Row) : row));
}

/** The files of a table by path, and the modification time of each. */
export function unpack(name: string): Archive {
  return unpackTar(gunzipSync(readGolden(`hudi-table/${name}.tar.gz`)));
}

/** A golden table, unpacked. */
export function goldenTree(name: string): FileTree {
  const { files, times } = unpack(name);
  return { ...memoryTree(files, name), modified: async (path) => times.get(path) };
}
