/**
 * The metadata of a Bloom filter, whose bits are in chunks among the data blocks (docs/spec/hbase-table.md#81-meta-block). All integers
 * are big-endian.
 *
 * | size | field |
 * | --- | --- |
 * | 4 | version 3 |
 * | 8 | bytes of all chunks |
 * | 4, 4 | number of hashes, hash function |
 * | 8, 8 | keys, maximum number of keys |
 * | 4 | chunks |
 * | VInt, n | comparator, only for keys of row and column |
 * | 8, 4, VInt, n | per chunk: offset, size on disk, first key |
 */
import { type BlockLocation, ByteReader, CFileError, corrupt } from "@cfile/bytes";
import { readHadoopLength } from "../files/hadoop-length.js";
import { BLOOM_HASHES, type BloomHash } from "./hashes.js";

const VERSION = 3;
const MIN_CHUNK_ENTRY = 13;
/** Each hash reads a byte of the chunk; HBase uses at most a few dozen. */
const MAX_HASHES = 1024;

/** The location of a chunk, and its first key. */
interface BloomChunkEntry extends BlockLocation {
  readonly firstKey: Uint8Array;
}

/** The metadata of a Bloom filter. */
export interface BloomMeta {
  readonly hashCount: number;
  readonly hash: BloomHash;
  readonly keys: number;
  readonly maxKeys: number;
  /** Bytes of all chunks. */
  readonly bytes: number;
  /** Ordered by their first keys. */
  readonly chunks: readonly BloomChunkEntry[];
}

/** @throws {CFileError} `E_UNSUPPORTED` for an unknown version or hash function, `E_TRUNCATED`, `E_CORRUPT` */
export function parseBloomMeta(body: Uint8Array): BloomMeta {
  const reader = new ByteReader(body);
  const version = reader.u32be("Bloom version");
  if (version !== VERSION) {
    throw unsupported("Bloom version", version);
  }
  const bytes = readSize(reader, "Bloom bytes");
  const hashCount = reader.u32be("hash count");
  if (hashCount > MAX_HASHES) {
    throw corrupt(`Bloom filter has ${hashCount} hashes`, { field: "hash count", actual: hashCount });
  }
  const type = reader.u32be("hash type");
  const hash = BLOOM_HASHES[type];
  if (hash === undefined) {
    throw unsupported("hash type", type);
  }
  const keys = readSize(reader, "key count");
  const maxKeys = readSize(reader, "maximum key count");
  const count = reader.u32be("chunk count");
  reader.skip(readHadoopLength(reader, "comparator length"), "comparator");
  reader.require(count * MIN_CHUNK_ENTRY, "chunks");
  const chunks = Array.from({ length: count }, () => {
    const offset = readSize(reader, "chunk offset");
    const size = reader.u32be("chunk size");
    const firstKey = reader.take(readHadoopLength(reader, "chunk key length"), "chunk key");
    return { offset, size, firstKey };
  });
  return { hashCount, hash, keys, maxKeys, bytes, chunks };
}

function readSize(reader: ByteReader, field: string): number {
  const offset = reader.position;
  const size = reader.u32be(field) * 2 ** 32 + reader.u32be(field);
  if (!Number.isSafeInteger(size)) {
    throw corrupt(`invalid ${field}`, { offset, field });
  }
  return size;
}

function unsupported(field: string, actual: number): CFileError {
  return new CFileError("E_UNSUPPORTED", `unsupported ${field} ${actual}`, { field, actual });
}
