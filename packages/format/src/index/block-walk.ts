/**
 * Finds the data blocks of a file without any index by walking it from the header to the footer.
 *
 * No block states its stored length. With checksums, a block ends where the next four bytes are the CRC-32C of all bytes since
 * its start, and those bytes can be opened as a data block that starts with the next row. Without checksums, only blocks that
 * state the length of their content can be walked: uncompressed plain fixed-width, plain BOOL and bitshuffle blocks.
 */
import { attempt, type BlockLocation, bitmapByteLength, CFileError, crc32c } from "@cfile/bytes";
import { DATA_TYPES } from "@cfile/encodings";
import { readExactly } from "@cfile/io";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import { CHECKSUM_LENGTH } from "../blocks/block-wrapper.js";
import type { BlockColumn } from "../blocks/data-block.js";
import type { OpenFile } from "../read/open-file.js";

/** Bytes fetched at a time, doubled until they include the end of the block. */
const WINDOW = 256 * 1024;
/** Bytes read to find a block's stated length. */
const STATED_LENGTH_READ = 32;
/** Length of a plain block's header: value count and first row. */
const PLAIN_HEADER = 8;

/**
 * The file's data blocks in order; its header and dictionary must be loaded.
 *
 * @throws {CFileError} `E_UNSUPPORTED` if the file cannot be walked; as reading blocks
 */
export async function walkDataBlocks(file: OpenFile, options: BlockReadOptions): Promise<BlockLocation[]> {
  const { path, headerRange, footer, wrapping } = file.structure;
  const blocks: BlockLocation[] = [];
  let offset = headerRange.size;
  let rows = 0;
  while (rows < footer.rowCount) {
    const find = wrapping.checksums ? findByChecksum : findByStatedLength;
    const found = await find(file, offset, rows, options);
    if (found === undefined) {
      const reason = "the file has no index and its data blocks cannot be found without one";
      throw new CFileError("E_UNSUPPORTED", reason, { path, offset, field: "posidx_info" });
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
  file: OpenFile,
  offset: number,
  firstRow: number,
  { signal }: BlockReadOptions,
): Promise<FoundBlock | undefined> {
  const { structure, limits } = file.blocks;
  const room = Math.min(structure.footerRange.offset - offset, limits.maxStoredBlockSize);
  let crc = 0;
  let tested = 0;
  for (let size = Math.min(room, WINDOW); size > 0; size = Math.min(room, size * 2)) {
    const bytes = await readExactly(file.source, offset, size, { signal, field: "block" });
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (; tested + CHECKSUM_LENGTH <= size; tested++) {
      if (tested > 0 && view.getUint32(tested, true) === crc) {
        const stored = bytes.subarray(0, tested + CHECKSUM_LENGTH);
        const found = tryOpen(file, { offset, size: stored.length }, stored, firstRow);
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
  file: OpenFile,
  offset: number,
  firstRow: number,
  { signal }: BlockReadOptions,
): Promise<FoundBlock | undefined> {
  const { footerRange, wrapping } = file.structure;
  const room = footerRange.offset - offset;
  const length = Math.min(room, STATED_LENGTH_READ);
  const start = await readExactly(file.source, offset, length, { signal, field: "block" });
  const size = wrapping.codec === undefined ? statedLength(start, file.dataBlocks.column()) : undefined;
  if (size === undefined || size > room) {
    return undefined;
  }
  const block = { offset, size };
  return tryOpen(file, block, await file.blocks.readStored(block, { signal }), firstRow);
}

/** The length of an uncompressed block without checksum; `undefined` when its encoding does not state it. */
function statedLength(
  start: Uint8Array,
  { type, encoding, nullable, array }: BlockColumn,
): number | undefined {
  if (nullable || array || start.length < 12) {
    return undefined;
  }
  const view = new DataView(start.buffer, start.byteOffset, start.length);
  const { physical, width } = DATA_TYPES[type];
  if (encoding === "BIT_SHUFFLE") {
    return view.getUint32(8, true);
  }
  if (encoding === "PLAIN_ENCODING" && physical !== "BINARY") {
    const count = view.getUint32(0, true);
    return PLAIN_HEADER + (physical === "BOOL" ? bitmapByteLength(count) : count * width);
  }
  return undefined;
}

function tryOpen(
  { dataBlocks }: OpenFile,
  block: BlockLocation,
  stored: Uint8Array,
  firstRow: number,
): FoundBlock | undefined {
  const opened = attempt(() => dataBlocks.open(block, stored));
  return opened?.firstRow === firstRow ? { block, rows: opened.rows } : undefined;
}
