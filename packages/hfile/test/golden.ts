/** HFiles that HBase and Hudi wrote, and known facts about them: `fixtures/golden/hfile/README.md`. */

import { listGolden, readGolden, readGoldenJson } from "@cfile-tools/testkit";

interface GoldenSeek {
  readonly key: string;
  readonly result: "found" | "before_first" | "between" | "after_last" | "empty_file";
  readonly first_ordinal?: number;
  readonly count?: number;
  readonly value_hex?: string;
  readonly floor_ordinal?: number;
  readonly ceiling_ordinal?: number;
}

interface GoldenFacts {
  readonly compression: string;
  readonly entry_count: number;
  readonly entries_sha256: string;
  readonly index_levels?: number;
  readonly index_entries_per_level?: readonly number[];
  readonly checksum?: { readonly chunks_verified: number };
  readonly first_key?: { readonly hex: string } | null;
  readonly last_key?: { readonly hex: string } | null;
  readonly samples?: readonly { ordinal: number; key: string; value: string }[];
  readonly file_info?: Readonly<Record<string, string>>;
  readonly seeks?: readonly GoldenSeek[];
  readonly prefix_scans?: readonly {
    prefix: string;
    count: number;
    first_ordinal: number | null;
    last_ordinal: number | null;
  }[];
  readonly corruption_cases?: readonly {
    edit: { offset: number; xor: number };
    bad_block_offset: number;
    bad_block_type: string;
    bad_chunk_index?: number;
    remaining_entries_sha256?: string;
  }[];
  readonly meta_blocks?:
    | readonly {
        name: string;
        offset: number;
        on_disk_size: number;
        content_length: number;
        content_sha256: string;
      }[]
    | Readonly<Record<string, string>>;
  readonly first_entries?: readonly {
    row: string;
    family: string;
    qualifier: string;
    timestamp: string;
    type: string;
    mvcc: string;
    value: string;
    tags?: string;
  }[];
  readonly full_key_mvcc_sha256?: string;
  readonly block_size?: number;
  readonly file_creation_time_ms?: string;
  readonly appended_file_info?: Readonly<Record<string, string>>;
  readonly entries?: readonly (readonly [string, string])[];
}

export interface GoldenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly facts: GoldenFacts;
}

export const goldenFiles: readonly GoldenFile[] = listGolden("hfile", ".hfile").map((name) => ({
  name,
  bytes: readGolden(`hfile/${name}.hfile`),
  facts: readGoldenJson(`hfile/${name}.json`),
}));

export function goldenFile(name: string): GoldenFile {
  const file = goldenFiles.find((candidate) => candidate.name === name);
  if (file === undefined) {
    throw new TypeError(`no golden HFile ${name}`);
  }
  return file;
}
