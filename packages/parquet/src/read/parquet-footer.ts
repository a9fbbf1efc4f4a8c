/**
 * The end of a Parquet file (docs/spec/parquet.md#1-file-frame).
 *
 * | bytes | meaning |
 * | --- | --- |
 * | n | metadata, a thrift struct |
 * | 4 | length of the metadata, little-endian |
 * | 4 | `PAR1`; `PARE` if the metadata is encrypted |
 */
import { ByteReader, CFileError, concatBytes, corrupt } from "@cfile/bytes";
import { type ByteSource, readExactly, sizeOf } from "@cfile/io";
import { type FileMetaData, parquetMetadata } from "hyparquet";
import type { ChunkCiphers, ParquetKeys } from "../crypto/file-cipher.js";
import { readStruct } from "../schema/thrift-struct.js";
import { chunkStart } from "./page-decoder.js";

const MAGIC = 0x31524150;
const MAGIC_BYTES = /* @__PURE__ */ Uint8Array.of(0x50, 0x41, 0x52, 0x31);
const ENCRYPTED = 0x45524150;
const TAIL = 8;
const MAX_FOOTER_BYTES = 256 * 1024 * 1024;

export interface ParquetFooter {
  readonly metadata: FileMetaData;
  /** The metadata as stored. */
  readonly bytes: Uint8Array;
  /** File offset of the metadata; pages end before it. */
  readonly start: number;
  /** The ciphers of all chunks, if parts of the file are encrypted. */
  readonly ciphers: ChunkCiphers | undefined;
}

/**
 * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` if it is not a Parquet file, or lost bytes before the footer; `E_UNSUPPORTED` if it is
 *   encrypted and no key is given; `E_CHECKSUM` for a wrong key
 */
export async function readFooter(source: ByteSource, keys: ParquetKeys = {}): Promise<ParquetFooter> {
  const size = await sizeOf(source);
  if (size < TAIL + 4) {
    const reason = `file of ${size} bytes is too short for Parquet (at least ${TAIL + 4} bytes)`;
    throw new CFileError("E_TRUNCATED", reason, { path: source.name, field: "size" });
  }
  const tail = new ByteReader(await readExactly(source, size - TAIL, TAIL));
  const length = tail.u32le("footer length");
  const magic = tail.u32le("magic");
  const path = source.name;
  const details = { path, offset: size - 4, field: "magic" };
  if (magic !== MAGIC && magic !== ENCRYPTED) {
    throw corrupt('not a Parquet file: it does not end with "PAR1"', details);
  }
  const maximum = Math.min(size - TAIL - 4, MAX_FOOTER_BYTES);
  if (length > maximum) {
    const reason = `invalid footer length: ${length} (expected at most ${maximum})`;
    throw corrupt(reason, { path, offset: size - TAIL, field: "footer length", actual: length });
  }
  const start = size - TAIL - length;
  const stored = await readExactly(source, start, length);
  try {
    const footer = await openFooter(stored, magic === ENCRYPTED, keys);
    requireBytes(footer.metadata, start);
    return { ...footer, start };
  } catch (cause) {
    if (cause instanceof CFileError) {
      throw cause.within({ path: source.name });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw corrupt(`invalid metadata: ${reason}`, { path, offset: start, field: "file metadata", cause });
  }
}

/**
 * Requires that chunks and indexes end before the footer. Otherwise bytes in the middle of the file are lost, and the offsets point to
 * other pages, possibly to valid pages of another column.
 */
function requireBytes(metadata: FileMetaData, start: number): void {
  const missing = statedEnd(metadata) - start;
  if (missing > 0) {
    const reason = `the file is ${missing} bytes shorter than its footer states`;
    throw new CFileError("E_TRUNCATED", reason, { offset: start, field: "file metadata" });
  }
}

/** File offset of the end of the last chunk or index; 0 if nothing is stated. */
export function statedEnd({ row_groups: groups }: FileMetaData): number {
  let last = 0;
  for (const chunk of groups.flatMap(({ columns }) => columns)) {
    const { meta_data: meta } = chunk;
    last = Math.max(
      last,
      meta === undefined ? 0 : endOf(chunkStart(meta), meta.total_compressed_size),
      endOf(chunk.column_index_offset, chunk.column_index_length),
      endOf(chunk.offset_index_offset, chunk.offset_index_length),
    );
  }
  return last;
}

function endOf(offset: bigint | number | undefined, size: bigint | number | undefined): number {
  const end = Number(offset ?? 0) + Number(size ?? 0);
  return Number(size ?? 0) > 0 && Number.isSafeInteger(end) ? end : 0;
}

async function openFooter(stored: Uint8Array, isEncrypted: boolean, keys: ParquetKeys) {
  if (isEncrypted) {
    const { decryptFooter, openChunks } = await import("../crypto/encrypted-footer.js");
    const { bytes, file } = await decryptFooter(stored, keys);
    const { metadata } = parsed(bytes);
    return { metadata, bytes, ciphers: await openChunks(metadata, file) };
  }
  const { metadata, hasEncryption } = parsed(stored);
  if (!hasEncryption) {
    return { metadata, bytes: stored, ciphers: undefined };
  }
  const { openChunks, plainFooter } = await import("../crypto/encrypted-footer.js");
  const ciphers = await openChunks(metadata, await plainFooter(stored, keys));
  return { metadata, bytes: stored, ciphers };
}

/** Number of the field with the encryption algorithm of a file with a plain footer. */
const ALGORITHM = 8;

function parsed(bytes: Uint8Array) {
  // The library trusts counts and depths, so they are checked first.
  const fields = readStruct(new ByteReader(bytes), "file metadata");
  const length = Uint8Array.of(bytes.length, bytes.length >>> 8, bytes.length >>> 16, bytes.length >>> 24);
  // The library requires a whole footer.
  const footer = concatBytes([bytes, length, MAGIC_BYTES]);
  const metadata = parquetMetadata(footer, { geoparquet: false });
  requireLists(metadata);
  return { metadata, hasEncryption: fields.has(ALGORITHM) };
}

/** The library accepts a string instead of a list. */
function requireLists({ schema, row_groups: groups, key_value_metadata: pairs = [] }: FileMetaData): void {
  const isList =
    [schema, groups, pairs].every(Array.isArray) && groups.every((group) => Array.isArray(group.columns));
  if (!isList) {
    throw corrupt("metadata has a string instead of a list", { field: "file metadata" });
  }
}
