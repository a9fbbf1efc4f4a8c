import { readFileSync } from "node:fs";
/** Delta files that Kudu wrote, and their entries as Kudu reports them: `fixtures/golden/README.md`. */

import { fromHex } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import type { DataType } from "@cfile/encodings";
import { listGolden, pathToGolden, readGolden } from "@cfile-tools/testkit";
import type { ChangeTypeName, DeltaKind } from "../src/index.js";

export interface GoldenUpdate {
  readonly col_id: number;
  readonly null: boolean;
  readonly raw?: string;
  readonly value?: number | string | boolean | { readonly bits: string };
}

export interface GoldenDelta {
  readonly row_idx: number;
  readonly timestamp: string;
  readonly key_hex: string;
  readonly changelist_hex: string;
  readonly type: ChangeTypeName;
  readonly updates?: readonly GoldenUpdate[];
}

export interface GoldenDeltaFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly kind: DeltaKind;
  readonly compression: CompressionType;
  readonly blockSize: number;
  readonly columns: readonly { id: number; name: string; type: DataType; nullable: boolean }[];
  readonly statsRaw: string;
  readonly deltas: readonly GoldenDelta[];
  readonly validx: readonly { key: string; offset: number; size: number }[];
}

export const goldenDeltaFiles: readonly GoldenDeltaFile[] = listGolden("deltafile", ".json").map((name) => {
  const facts = JSON.parse(readFileSync(pathToGolden(`deltafile/${name}.json`), "utf8"));
  return {
    name,
    bytes: readGolden(`deltafile/${name}.cfile`),
    kind: facts.delta_type === "REDO" ? "redo" : "undo",
    compression: facts.codec.toUpperCase(),
    blockSize: facts.block_size,
    columns: facts.schema,
    statsRaw: facts.delta_stats_raw,
    deltas: facts.deltas,
    validx: facts.layout.validx.entries,
  };
});

export function goldenDeltaFile(name: string): GoldenDeltaFile {
  const file = goldenDeltaFiles.find((candidate) => candidate.name === name);
  if (file === undefined) {
    throw new TypeError(`no golden delta file ${name}`);
  }
  return file;
}

/** The mutations of a golden entry: its change list without the type. */
export const mutationsOf = (delta: GoldenDelta): Uint8Array => fromHex(delta.changelist_hex).subarray(1);
