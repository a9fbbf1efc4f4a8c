/** Writes an ad-hoc index, which finds rows by keys of several columns (docs/spec/diskrowset.md#2-writer-options-per-file). */
import type { CodecSet } from "@cfile/compression";
import { BinaryBatch } from "@cfile/encodings";
import { CFileWriter } from "@cfile/format/write";
import type { ByteSink } from "@cfile/io";
import type { KernelChoice } from "@cfile/kernels";
import type { RowKeys } from "../keys/row-keys.js";

interface AdhocIndexOptions {
  readonly batchRows?: number | undefined;
  readonly checksums?: boolean | undefined;
  readonly codecs?: CodecSet | undefined;
  readonly kernels?: KernelChoice | undefined;
}

const BLOCK_SIZE = 4096;

export function adhocIndexWriter(sink: ByteSink, options: AdhocIndexOptions): CFileWriter {
  return new CFileWriter(sink, {
    ...options,
    type: "BINARY",
    encoding: "PREFIX_ENCODING",
    compression: "LZ4",
    blockSize: BLOCK_SIZE,
    posidx: false,
    validx: true,
  });
}

/** The keys as values of the index. */
export function keyValues({ length, offsets, data }: RowKeys, firstRow: number): BinaryBatch {
  return new BinaryBatch(
    { type: "BINARY", length, firstRow, validity: undefined, nullCount: 0 },
    offsets,
    data,
  );
}

/** Adds the minimum and maximum key to the metadata of the key file. */
export function addKeyBounds(file: CFileWriter, minKey: Uint8Array, maxKey: Uint8Array): void {
  file.addMetadata("min_key", minKey);
  file.addMetadata("max_key", maxKey);
}
