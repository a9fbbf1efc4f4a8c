import { listGolden, pathToGolden, readGoldenJson } from "@cfile-tools/testkit";

export const goldenNames: readonly string[] = listGolden(".", ".cfile");

export function goldenPath(name: string): string {
  return pathToGolden(`${name}.cfile`);
}

export interface GoldenFile {
  readonly type: string;
  readonly encoding: string;
  readonly compression: string;
  readonly nullable: boolean;
  readonly array: boolean;
  readonly write_posidx: boolean;
  readonly write_validx: boolean;
  readonly block_size: number;
  readonly index_block_size: number;
  readonly block_restart_interval: number;
  readonly optimize_index_keys: boolean;
  readonly checksums: boolean;
  readonly append_batch: number;
  readonly rows: number;
  readonly header_metadata: unknown;
  readonly footer: unknown;
  readonly layout: unknown;
  readonly sha256: string;
  readonly values?: readonly unknown[];
}

export function golden(name: string): GoldenFile {
  return goldenFacts(name) as GoldenFile;
}

/** The JSON of any golden file, such as `deltafile/delta_redo_small`. */
export function goldenFacts(name: string): unknown {
  return readGoldenJson(`${name}.json`);
}
