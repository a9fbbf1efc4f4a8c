/** Delta files that Kudu wrote, and what Kudu says of their entries: `fixtures/golden/README.md`. */
import { readdirSync, readFileSync } from "node:fs";
import { fromHex } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import type { DataType } from "@cfile/encodings";
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

const folder = new URL("../../../fixtures/golden/deltafile/", import.meta.url);

export const goldenDeltaFiles: readonly GoldenDeltaFile[] = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((json) => {
    const name = json.replace(".json", "");
    const facts = JSON.parse(readFileSync(new URL(json, folder), "utf8"));
    return {
      name,
      bytes: new Uint8Array(readFileSync(new URL(`${name}.cfile`, folder))),
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
