/**
 * The end of a Parquet file (docs/spec/parquet.md#1-file-frame).
 *
 * | bytes | meaning |
 * | --- | --- |
 * | n | metadata, a thrift struct |
 * | 4 | length of the metadata, little-endian |
 * | 4 | `PAR1` |
 */
import { ByteReader, CFileError, corrupt } from "@cfile/bytes";
import { type ByteSource, readExactly, sizeOf } from "@cfile/io";
import { type FileMetaData, parquetMetadata } from "hyparquet";
import { readStruct } from "../schema/thrift-struct.js";

const MAGIC = 0x31524150;
const ENCRYPTED = 0x45524150;
const TAIL = 8;
const MAX_FOOTER_BYTES = 256 * 1024 * 1024;

export interface ParquetFooter {
  readonly metadata: FileMetaData;
  /** The metadata as stored. */
  readonly bytes: Uint8Array;
  /** File offset of the metadata; pages end before it. */
  readonly start: number;
}

/** @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` if it is not a Parquet file; `E_UNSUPPORTED` if it is encrypted */
export async function readFooter(source: ByteSource): Promise<ParquetFooter> {
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
  if (magic === ENCRYPTED) {
    throw new CFileError("E_UNSUPPORTED", "the footer is encrypted", details);
  }
  if (magic !== MAGIC) {
    throw corrupt('not a Parquet file: it does not end with "PAR1"', details);
  }
  const maximum = Math.min(size - TAIL - 4, MAX_FOOTER_BYTES);
  if (length > maximum) {
    const reason = `invalid footer length: ${length} (expected at most ${maximum})`;
    throw corrupt(reason, { path, offset: size - TAIL, field: "footer length", actual: length });
  }
  const start = size - TAIL - length;
  const bytes = await readExactly(source, start, length + TAIL);
  try {
    // The library trusts counts and depths, so they are checked first.
    readStruct(new ByteReader(bytes, 0, length), "file metadata");
    const metadata = parquetMetadata(bytes, { geoparquet: false });
    requireLists(metadata);
    return { metadata, bytes: bytes.subarray(0, length), start };
  } catch (cause) {
    if (cause instanceof CFileError) {
      throw cause.within({ path: source.name });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw corrupt(`invalid metadata: ${reason}`, { path, offset: start, field: "file metadata", cause });
  }
}

/** The library accepts a string where a list should be. */
function requireLists({ schema, row_groups: groups, key_value_metadata: pairs = [] }: FileMetaData): void {
  const isList =
    [schema, groups, pairs].every(Array.isArray) && groups.every((group) => Array.isArray(group.columns));
  if (!isList) {
    throw corrupt("metadata has a string instead of a list", { field: "file metadata" });
  }
}
