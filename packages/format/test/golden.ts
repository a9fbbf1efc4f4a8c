/** Golden CFiles: bytes, options and expected values; see fixtures/golden/README.md. */
import { fromHex } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import {
  type CellValue,
  type ColumnBatch,
  DATA_TYPES,
  type DataType,
  type EncodingType,
} from "@cfile/encodings";
import { batchFromValues, bytesOf } from "@cfile/encodings/batches";
import { listGolden, readGolden, readGoldenJson } from "@cfile-tools/testkit";
import type { MetadataPair } from "../src/index.js";
import type { WriterOptions } from "../src/write.js";
import { generateValues } from "./golden-generators.js";

export type GoldenValue =
  | number
  | string
  | boolean
  | null
  | { readonly bits: string }
  | readonly GoldenValue[];

interface GoldenPair {
  readonly key: string;
  readonly value: string;
}

export interface GoldenIndex {
  readonly levels: number;
  readonly index_blocks: readonly Record<string, unknown>[];
  readonly entries: readonly { key: string; offset: number; size: number }[];
}

export interface GoldenFile {
  readonly name: string;
  readonly type: DataType;
  readonly encoding: EncodingType;
  readonly requested_encoding: EncodingType;
  readonly compression: CompressionType;
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
  readonly header_metadata: readonly GoldenPair[];
  readonly footer: Record<string, unknown> & { metadata: readonly GoldenPair[] };
  readonly layout: {
    readonly posidx?: GoldenIndex;
    readonly validx?: GoldenIndex;
    readonly dict_block?: { offset: number; size: number };
  } | null;
  readonly sha256: string;
  readonly values?: readonly GoldenValue[];
  readonly generator?: string;
  readonly note?: string;
}

export const goldenNames: readonly string[] = listGolden(".", ".cfile");

export function goldenBytes(name: string): Uint8Array {
  return readGolden(`${name}.cfile`);
}

export function goldenFile(name: string): GoldenFile {
  return { name, ...readGoldenJson<Omit<GoldenFile, "name">>(`${name}.json`) };
}

/** The column's values in golden form: listed, or computed by a generator. */
export function goldenValues(file: GoldenFile): readonly GoldenValue[] {
  return file.values ?? generateValues(file);
}

const metadata = (pairs: readonly GoldenPair[]): MetadataPair[] =>
  pairs.map(({ key, value }) => ({ key, value: fromHex(value) }));

export function goldenWriterOptions(file: GoldenFile): WriterOptions {
  return {
    type: file.type,
    encoding: file.encoding,
    compression: file.compression,
    nullable: file.nullable,
    array: file.array,
    blockSize: file.block_size,
    indexBlockSize: file.index_block_size,
    restartInterval: file.block_restart_interval,
    posidx: file.write_posidx,
    validx: file.write_validx,
    optimizeIndexKeys: file.optimize_index_keys,
    checksums: file.checksums,
    headerMetadata: metadata(file.header_metadata),
    footerMetadata: metadata(file.footer.metadata),
    batchRows: Math.max(1, file.append_batch),
  };
}

function floatFromBits(type: DataType, bits: string): number {
  const bytes = fromHex(bits);
  const view = new DataView(bytes.buffer);
  return type === "FLOAT" ? view.getFloat32(0) : view.getFloat64(0);
}

/** A golden value as input of a writer. */
export function cellOf(type: DataType, value: GoldenValue): CellValue {
  if (value === null || typeof value === "number" || typeof value === "boolean") {
    return value;
  }
  if (typeof value === "string") {
    return DATA_TYPES[type].physical === "BINARY" ? fromHex(value) : BigInt(value);
  }
  return "bits" in value ? floatFromBits(type, value.bits) : value.map((element) => cellOf(type, element));
}

/** All cells of a batch in golden form. */
export function goldenCells(batch: ColumnBatch): GoldenValue[] {
  return Array.from({ length: batch.length }, (_, i) => goldenCell(batch, i));
}

export function goldenCell(batch: ColumnBatch, index: number): GoldenValue {
  if (batch.isNull(index)) {
    return null;
  }
  if (batch.kind === "array") {
    const cell: GoldenValue[] = [];
    for (let i = batch.offsets[index] as number; i < (batch.offsets[index + 1] as number); i++) {
      cell.push(goldenCell(batch.child, i));
    }
    return cell;
  }
  if (batch.kind === "fixed" && (batch.physical === "FLOAT" || batch.physical === "DOUBLE")) {
    // As bits: a number would lose the payload of a NaN.
    const { BYTES_PER_ELEMENT: width, buffer, byteOffset } = batch.values;
    const bits = Buffer.from(buffer, byteOffset + index * width, width).toString("hex");
    return { bits: (bits.match(/../g) ?? []).reverse().join("") };
  }
  const value = batch.get(index, { strings: "bytes" });
  if (typeof value === "bigint") {
    return String(value);
  }
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : (value as GoldenValue);
}

/** The column as one batch; floating-point values have exactly the golden bits. */
export function goldenBatch(file: GoldenFile): ColumnBatch {
  const values = goldenValues(file);
  const batch = batchFromValues(
    file,
    values.map((value) => cellOf(file.type, value)),
  );
  const scalars = batch.kind === "array" ? batch.child : batch;
  if (scalars.kind === "fixed" && (file.type === "FLOAT" || file.type === "DOUBLE")) {
    const bytes = bytesOf(scalars.values);
    const width = scalars.values.BYTES_PER_ELEMENT;
    const flat = file.array ? values.flatMap((cell) => cell ?? []) : values;
    for (const [i, value] of flat.entries()) {
      if (value !== null && typeof value === "object" && "bits" in value) {
        bytes.set(fromHex(value.bits).reverse(), i * width);
      }
    }
  }
  return batch;
}
