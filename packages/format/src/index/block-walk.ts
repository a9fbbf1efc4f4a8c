/**
 * Finds the data blocks of a file without any index by walking it from the header on.
 *
 * No block says how long its stored form is. With checksums the end shows itself: it is where the four bytes
 * that follow are the CRC-32C of all bytes since the block's start, and the bytes before open as a data block
 * with the next row's ordinal. Without checksums only blocks that state their own length can be walked:
 * uncompressed plain fixed-width, plain bool and bitshuffle blocks.
 */
import { type BlockLocation, CFileError, crc32c, isCFileError } from "@cfile/bytes";
import { type ByteSource, readExactly } from "@cfile/io";

import type { BlockReader, BlockReadOptions } from "../blocks/block-reader.js";
import { CHECKSUM_LENGTH } from "../blocks/block-wrapper.js";
import type { DataBlock } from "../blocks/data-block.js";

export interface BlockWalk {
  readonly source: ByteSource;
  readonly reader: BlockReader;
  /** Opens stored bytes as a data block; throws a `CFileError` when they are none. */
  readonly open: (block: BlockLocation, stored: Uint8Array) => DataBlock;
  /** Length of the block that starts with these bytes, where the encoding states it. */
  readonly statedLength: (start: Uint8Array) => number | undefined;
}

/** Bytes fetched at a time, doubled while a block does not end in them. */
const WINDOW = 256 * 1024;
/** Enough of a block to read its stated length. */
const STATED_LENGTH_READ = 32;

/** The file's data blocks in order. @throws CFileError `E_UNSUPPORTED` where the file cannot be walked */
export async function walkDataBlocks(walk: BlockWalk, options: BlockReadOptions): Promise<BlockLocation[]> {
  const { structure } = walk.reader;
  const blocks: BlockLocation[] = [];
  let offset = structure.headerRange.size;
  let rows = 0;
  while (rows < structure.footer.rowCount) {
    const found = structure.wrapping.checksums
      ? await findByChecksum(walk, offset, rows, options)
      : await findByStatedLength(walk, offset, rows, options);
    if (found === undefined) {
      throw new CFileError(
        "E_UNSUPPORTED",
        "the file has no index and its data blocks cannot be found without one",
        {
          path: structure.path,
          offset,
          field: "posidx_info",
        },
      );
    }
    blocks.push(found.block);
    offset += found.block.size;
    rows += found.rows;
  }
  return blocks;
}

interface FoundBlock {
  readonly block: BlockLocation;
  readonly rows: number;
}

async function findByChecksum(
  walk: BlockWalk,
  offset: number,
  firstRow: number,
  options: BlockReadOptions,
): Promise<FoundBlock | undefined> {
  const { structure, limits } = walk.reader;
  const room = Math.min(structure.footerRange.offset - offset, limits.maxStoredBlockSize);
  let crc = 0;
  let tested = 0;
  for (let size = Math.min(room, WINDOW); size > 0; size = Math.min(room, size * 2)) {
    const bytes = await readExactly(walk.source, offset, size, { signal: options.signal, field: "block" });
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (; tested + CHECKSUM_LENGTH <= size; tested++) {
      if (tested > 0 && view.getUint32(tested, true) === crc) {
        const stored = bytes.subarray(0, tested + CHECKSUM_LENGTH);
        const found = tryOpen(walk, { offset, size: stored.length }, stored, firstRow);
        if (found !== undefined) {
          return found;
        }
      }
      crc = crc32c(bytes, tested, tested + 1, crc);
    }
    if (size === room) {
      break;
    }
  }
  return undefined;
}

async function findByStatedLength(
  walk: BlockWalk,
  offset: number,
  firstRow: number,
  options: BlockReadOptions,
): Promise<FoundBlock | undefined> {
  const { structure } = walk.reader;
  const room = structure.footerRange.offset - offset;
  const start = await readExactly(walk.source, offset, Math.min(room, STATED_LENGTH_READ), {
    signal: options.signal,
    field: "block",
  });
  const size = structure.wrapping.codec === undefined ? walk.statedLength(start) : undefined;
  if (size === undefined || size > room) {
    return undefined;
  }
  const block = { offset, size };
  return tryOpen(walk, block, await walk.reader.readStored(block, options), firstRow);
}

function tryOpen(
  walk: BlockWalk,
  block: BlockLocation,
  stored: Uint8Array,
  firstRow: number,
): FoundBlock | undefined {
  try {
    const opened = walk.open(block, stored);
    return opened.firstRow === firstRow ? { block, rows: opened.rows } : undefined;
  } catch (error) {
    if (isCFileError(error)) {
      return undefined;
    }
    throw error;
  }
}
