/**
 * The end of a Parquet file (docs/spec/parquet.md#1-file-frame).
 *
 * | bytes | meaning |
 * | --- | --- |
 * | n | metadata, a thrift struct |
 * | 4 | their length, little-endian |
 * | 4 | `PAR1` |
 */
import { ByteReader, CFileError, corrupt } from "@cfile/bytes";
import { type ByteSource, readExactly, sizeOf } from "@cfile/io";
import { type FileMetaData, parquetMetadata } from "hyparquet";
import { readStruct } from "../schema/thrift-struct.js";

const MAGIC = 0x31524150;
const ENCRYPTED = 0x45524150;
const TAIL = 8;
/** Metadata of more bytes are refused. */
const MAX_FOOTER_BYTES = 256 * 1024 * 1024;

export interface ParquetFooter {
  readonly metadata: FileMetaData;
  /** Where the metadata begin: pages end before. */
  readonly start: number;
}

/** @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED`: no Parquet file; `E_UNSUPPORTED`: an encrypted one */
export async function readFooter(source: ByteSource): Promise<ParquetFooter> {
  const size = await sizeOf(source);
  if (size < TAIL + 4) {
    throw new CFileError("E_TRUNCATED", `${size} bytes are no Parquet file`, {
      path: source.name,
      field: "size",
    });
  }
  const tail = new ByteReader(await readExactly(source, size - TAIL, TAIL));
  const length = tail.u32le("footer length");
  const magic = tail.u32le("magic");
  if (magic !== MAGIC) {
    const isEncrypted = magic === ENCRYPTED;
    throw new CFileError(
      isEncrypted ? "E_UNSUPPORTED" : "E_CORRUPT",
      isEncrypted ? "the footer is encrypted" : "no Parquet file: it does not end in PAR1",
      { path: source.name, offset: size - 4, field: "magic" },
    );
  }
  if (length > size - TAIL - 4 || length > MAX_FOOTER_BYTES) {
    throw corrupt(`metadata of ${length} bytes in a file of ${size}`, {
      path: source.name,
      offset: size - TAIL,
      field: "footer length",
      actual: length,
    });
  }
  const start = size - TAIL - length;
  const bytes = await readExactly(source, start, length + TAIL);
  try {
    // The library believes counts and depths; they are looked at before it sees them.
    readStruct(new ByteReader(bytes, 0, length), "file metadata");
    const metadata = parquetMetadata(bytes, { geoparquet: false });
    requireLists(metadata);
    return { metadata, start };
  } catch (cause) {
    if (cause instanceof CFileError) {
      throw cause.within({ path: source.name });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CFileError("E_CORRUPT", `the metadata cannot be read: ${reason}`, {
      path: source.name,
      offset: start,
      field: "file metadata",
      cause,
    });
  }
}

/** The library takes a text, whose bytes it can go through too, for a list. */
function requireLists({ schema, row_groups: groups, key_value_metadata: pairs = [] }: FileMetaData): void {
  const isList =
    [schema, groups, pairs].every(Array.isArray) && groups.every((group) => Array.isArray(group.columns));
  if (!isList) {
    throw corrupt("the metadata have bytes where a list is to be", { field: "file metadata" });
  }
}
