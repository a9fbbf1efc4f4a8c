/**
 * The stored bytes of all data blocks, one after the other: neighbours are read together, and the next group is on its way while
 * one is checked. A group that cannot be read as a whole is read block by block, so that only the block at fault is named.
 */
import { type BlockLocation, CFileError, type MemoryArena } from "@cfile/bytes";
import { type BlockReader, type BlockReadOptions, roomFor } from "../blocks/block-reader.js";

/** Blocks that are read together have up to this many bytes, or are one. */
const GROUP_BYTES = 1 << 20;
const GROUP_BLOCKS = 256;
/** Bytes between two blocks that are read along: nothing stands there in a sound file. */
const MOST_GAP = 4096;

/** A block, and its stored bytes or why there are none. The bytes are valid until the next block is asked for. */
export type ReadBlock =
  | { readonly stored: Uint8Array; readonly error?: undefined }
  | { readonly stored?: undefined; readonly error: unknown };

interface Group {
  readonly blocks: readonly BlockLocation[];
  readonly buffer: ArrayBuffer | undefined;
  readonly stored: Promise<readonly Uint8Array[] | undefined>;
}

export async function* readBlocks(
  reader: BlockReader,
  blocks: readonly BlockLocation[],
  memory: MemoryArena,
  options: BlockReadOptions,
): AsyncGenerator<ReadBlock, void, void> {
  let next = begin(reader, blocks, 0, memory, options);
  try {
    for (let at = 0; at < blocks.length; ) {
      const group = next;
      at += group.blocks.length;
      const stored = await group.stored;
      next = begin(reader, blocks, at, memory, options);
      for (const [i, block] of group.blocks.entries()) {
        options.signal?.throwIfAborted();
        const bytes = stored?.[i];
        yield bytes === undefined ? await readOne(reader, block, options) : { stored: bytes };
      }
      if (group.buffer !== undefined) {
        memory.giveBack(group.buffer);
      }
    }
  } finally {
    memory.detachAll();
  }
}

async function readOne(
  reader: BlockReader,
  block: BlockLocation,
  options: BlockReadOptions,
): Promise<ReadBlock> {
  try {
    return { stored: await reader.readStored(block, options) };
  } catch (error) {
    return { error };
  }
}

function begin(
  reader: BlockReader,
  blocks: readonly BlockLocation[],
  from: number,
  memory: MemoryArena,
  options: BlockReadOptions,
): Group {
  const group = neighbours(blocks, from);
  const [first] = group;
  const last = group.at(-1);
  let buffer: ArrayBuffer | undefined;
  if (first !== undefined && last !== undefined) {
    const span = last.offset + last.size - first.offset;
    // Pointers are not checked yet.
    buffer = span > 0 && span <= GROUP_BYTES ? memory.take(roomFor(span)) : undefined;
  }
  const target = buffer && new Uint8Array(buffer);
  const reading =
    group.length === 0 ? Promise.resolve([]) : reader.readStoredRange(group, { ...options, target });
  const stored = reading.catch((error: unknown) => {
    if (error instanceof CFileError) {
      return undefined;
    }
    throw error;
  });
  // A rejection is reported when the group is waited for.
  stored.catch(() => undefined);
  return { blocks: group, buffer, stored };
}

/** Blocks from `from` on that lie one behind the other. */
function neighbours(blocks: readonly BlockLocation[], from: number): readonly BlockLocation[] {
  const [first] = blocks.slice(from, from + 1);
  let to = from + 1;
  for (let end = (first?.offset ?? 0) + (first?.size ?? 0); first !== undefined && to < blocks.length; to++) {
    const { offset, size } = blocks[to] as BlockLocation;
    const gap = offset - end;
    end = offset + size;
    if (gap < 0 || gap > MOST_GAP || end - first.offset > GROUP_BYTES || to - from >= GROUP_BLOCKS) {
      break;
    }
  }
  return blocks.slice(from, to);
}
