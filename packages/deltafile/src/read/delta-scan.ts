/**
 * Scans the entries of a range of rows, block after block. Neighboring blocks are fetched together, one group ahead of the one
 * that is being decoded.
 */
import { type BlockLocation, mismatch } from "@cfile/bytes";
import type { IndexCursor } from "@cfile/index-btree";
import { type DeltaBatch, firstEntryOfRow, sliceDeltas } from "./delta-batch.js";
import type { DeltaBlock } from "./delta-block.js";
import type { DeltaBlocks } from "./delta-blocks.js";

export interface DeltaScan {
  readonly blocks: DeltaBlocks;
  /** Rows `from` (inclusive) to `to` (exclusive). */
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal | undefined;
}

/** A block and its entries in the range of rows. */
export interface ScannedBlock {
  readonly block: DeltaBlock;
  readonly batch: DeltaBatch;
}

/** Maximum bytes and blocks of a group. */
const GROUP_BYTES = 1 << 20;
const GROUP_BLOCKS = 256;

interface GroupMember {
  readonly pointer: BlockLocation;
  readonly key: Uint8Array;
  readonly cached: DeltaBlock | undefined;
}

interface BlockGroup {
  readonly members: readonly GroupMember[];
  /** Stored bytes of the members that are not cached, in order. */
  readonly stored: readonly Uint8Array[];
  /** Whether there are more blocks in the range. */
  readonly more: boolean;
}

export async function* scanDeltaBlocks(scan: DeltaScan): AsyncGenerator<ScannedBlock, void, void> {
  const { blocks, from, to, signal } = scan;
  const cursor = await blocks.seek(from, { signal });
  let previous: DeltaBlock | undefined;
  let pending = cursor && fetchGroup(scan, cursor);
  while (cursor !== undefined && pending !== undefined) {
    const group: BlockGroup = await pending;
    pending = group.more ? quiet(fetchGroup(scan, cursor)) : undefined;
    let fetched = 0;
    for (const { pointer, key, cached } of group.members) {
      signal?.throwIfAborted();
      const block = cached ?? blocks.open(pointer, key, group.stored[fetched] as Uint8Array);
      fetched += cached === undefined ? 1 : 0;
      if (previous !== undefined || from === 0) {
        blocks.checkContinuity(previous, block, pointer);
      }
      previous = block;
      const batch = entriesOf(block.batch, from, to);
      if (batch.length > 0) {
        yield { block, batch };
      }
    }
  }
  checkEnd(scan, previous);
}

/** A rejection is reported when the group is awaited; a scan that ends earlier ignores it. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

async function fetchGroup({ blocks, to, signal }: DeltaScan, cursor: IndexCursor): Promise<BlockGroup> {
  const members: GroupMember[] = [];
  const missing: BlockLocation[] = [];
  let bytes = 0;
  let more = true;
  while (more && members.length < GROUP_BLOCKS && (members.length === 0 || bytes < GROUP_BYTES)) {
    const { pointer, key } = cursor;
    const cached = blocks.cached(pointer);
    members.push({ pointer, key, cached });
    if (cached === undefined) {
      missing.push(pointer);
      bytes += pointer.size;
    }
    more = (await cursor.next()) && blocks.rowOf(cursor.key) < to;
  }
  const stored = await blocks.file.blocks.readStoredRange(missing, { signal });
  return { members, stored: stored.map((join) => join()), more };
}

/** The entries of rows `from` (inclusive) to `to` (exclusive). */
export function entriesOf(batch: DeltaBatch, from: number, to: number): DeltaBatch {
  return sliceDeltas(batch, firstEntryOfRow(batch, from), firstEntryOfRow(batch, to));
}

/** A scan up to the last row must reach the entry count of the footer. */
function checkEnd({ blocks, to }: DeltaScan, last: DeltaBlock | undefined): void {
  const { footer, path } = blocks.file.structure;
  const entries = last === undefined ? 0 : last.ordinal + last.batch.length;
  if (to === Number.POSITIVE_INFINITY && entries !== footer.rowCount) {
    const details = { path, field: "num_values" };
    throw mismatch("blocks and footer differ in their entries", footer.rowCount, entries, details);
  }
}
