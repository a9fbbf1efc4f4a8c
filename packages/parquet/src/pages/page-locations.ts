/** Offset indexes: offsets and first rows of the data pages of a chunk, which locate pages even if their headers are damaged. */
import { ByteReader } from "@cfile/bytes";
import { type ByteSource, readExactly } from "@cfile/io";
import { type ColumnChunk, readOffsetIndex } from "hyparquet";
import type { ChunkCipher } from "../crypto/module-cipher.js";
import { readStruct } from "../schema/thrift-struct.js";

export interface PageLocation {
  /** File offset of the page header. */
  readonly offset: number;
  /** Bytes of the header and the page. */
  readonly size: number;
  /** Counted from the start of the row group. */
  readonly firstRow: number;
}

const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/** The data pages of a chunk, in order; empty if the index is missing or invalid. */
export async function readPageLocations(
  source: ByteSource,
  chunk: ColumnChunk,
  limit: number,
  {
    signal,
    cipher,
  }: { readonly signal?: AbortSignal | undefined; readonly cipher?: ChunkCipher | undefined },
): Promise<readonly PageLocation[]> {
  const offset = Number(chunk.offset_index_offset ?? 0);
  // In damaged metadata, the library returns whatever integer type the bytes name.
  const length = Number(chunk.offset_index_length ?? 0);
  if (!(offset >= 4 && length > 0 && length <= MAX_INDEX_BYTES && offset + length <= limit)) {
    return [];
  }
  const stored = await readExactly(source, offset, length, { signal, field: "offset index" });
  const bytes = cipher === undefined ? stored : await cipher.decrypt(stored, "offsetIndex").catch(noBytes);
  return pageLocations(bytes);
}

/** A damaged index lists nothing. */
function noBytes(): Uint8Array {
  return new Uint8Array(0);
}

/** The pages of an offset index, in order; empty if it is invalid. */
export function pageLocations(bytes: Uint8Array): readonly PageLocation[] {
  try {
    // The library trusts counts and depths, so they are checked first.
    readStruct(new ByteReader(bytes), "offset index");
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const locations = readOffsetIndex({ view, offset: 0 }).page_locations.map((page) => ({
      offset: Number(page.offset),
      size: Number(page.compressed_page_size),
      firstRow: Number(page.first_row_index),
    }));
    const isAscending = locations.every(({ offset: at, firstRow }, i) => {
      const before = locations[i - 1];
      return before === undefined
        ? at > 3 && firstRow === 0
        : at > before.offset && firstRow > before.firstRow;
    });
    return isAscending ? locations : [];
  } catch {
    return [];
  }
}
