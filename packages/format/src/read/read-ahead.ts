/**
 * Reads the stored data blocks of a file ahead, in order: neighboring blocks are fetched together in groups, and a bounded
 * number of groups is in flight while an earlier one is decoded.
 */
import { type BlockLocation, CFileError, invalidOption, type MemoryArena } from "@cfile/bytes";
import { type BlockReader, MAX_READ_SPAN, roomFor, type StoredBlock } from "../blocks/block-reader.js";
import type { BlockCursor } from "../index/block-directory.js";
import type { ReadAhead } from "./reader-options.js";

/** Maximum bytes of a group from a local source that states no better size. */
const LOCAL_GROUP_BYTES = 1 << 20;
/** Maximum blocks of a group. */
const GROUP_BLOCKS = 256;
const REMOTE_BYTES = 24 << 20;
const REMOTE_REQUESTS = 6;
/** Over a network the first group is small, so that the first rows arrive soon; each following group is four times as large. */
const FIRST_REMOTE_GROUP = 256 << 10;

/** The part of an arena that stored blocks are read into. */
const READS = "reads";

export interface BlockGroup {
  readonly pointers: readonly BlockLocation[];
  /** Stored bytes by block; `undefined` for blocks that are held. Empty if the group cannot be read and the sequence is `tolerant`. */
  readonly stored: readonly (StoredBlock | undefined)[];
  /** The buffer of `stored`, unless the source keeps the bytes. */
  readonly memory: ArrayBuffer | undefined;
}

export interface BlockSequence {
  readonly reader: BlockReader;
  /** Positioned at the first block. */
  readonly cursor: BlockCursor;
  /** Blocks that start at this row or later are not read. */
  readonly to: number;
  readonly readAhead?: ReadAhead | undefined;
  /** Whether a block need not be read. Default: all are read. */
  readonly isHeld?: ((block: BlockLocation) => boolean) | undefined;
  /** If given, its part `reads` holds the bytes of a group, which are valid until the next group is requested. */
  readonly arena?: MemoryArena | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether a group that cannot be read is returned without bytes. Default: its error is thrown. */
  readonly tolerant?: boolean | undefined;
}

export class BlockGroups {
  private readonly sequence: BlockSequence;
  private readonly requests: number;
  /** Number of groups requested before the first one has arrived. */
  private readonly atOnce: number;
  private readonly maxBytes: number;
  private groupBytes: number;
  private readonly queue: Promise<BlockGroup>[] = [];
  /** Settles when the cursor has passed the last group requested: whether there are more blocks. */
  private begun: Promise<boolean> = Promise.resolve(true);
  private more = true;
  private readonly memory: MemoryArena | undefined;
  private lent: ArrayBuffer | undefined;

  /** @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid `readAhead` */
  constructor(sequence: BlockSequence) {
    const { keepsBytes, isRemote, source } = sequence.reader;
    const { chunkBytes = LOCAL_GROUP_BYTES } = source;
    const {
      requests = isRemote ? REMOTE_REQUESTS : 1,
      bytes = isRemote ? REMOTE_BYTES : chunkBytes * Math.max(1, requests),
    } = sequence.readAhead ?? {};
    if (!(Number.isInteger(requests) && requests >= 0 && bytes >= 0)) {
      throw invalidOption("readAhead", `${requests} requests of ${bytes} bytes`, "numbers >= 0");
    }
    this.sequence = sequence;
    this.requests = requests;
    this.maxBytes = bytes / Math.max(1, requests);
    this.groupBytes = isRemote ? Math.min(FIRST_REMOTE_GROUP, this.maxBytes) : this.maxBytes;
    this.memory = keepsBytes ? undefined : sequence.arena?.part(READS);
    this.atOnce = isRemote ? Math.max(1, requests) : 1;
  }

  /** The next group; `undefined` after the last one. */
  async next(): Promise<BlockGroup | undefined> {
    this.finish();
    // A local scan that ends within its first group reads nothing else.
    this.beginUpTo(this.atOnce);
    const group = await this.queue.shift();
    this.lent = group?.memory;
    this.beginUpTo(this.requests);
    return group?.pointers.length === 0 ? undefined : group;
  }

  /** Releases the last group's bytes. */
  private finish(): void {
    if (this.lent) {
      this.memory?.release(this.lent);
      this.lent = undefined;
    }
  }

  /** Requests no more groups, and releases the last one's bytes; those in flight keep their memory. */
  close(): void {
    this.more = false;
    this.finish();
    this.memory?.detachAll();
  }

  private beginUpTo(groups: number): void {
    while (this.more && this.queue.length < groups) {
      const collected = this.begun.then((more) => (more ? this.collect() : []));
      // The next group starts where the cursor is after this one.
      this.begun = collected.then(() => this.more);
      const group = collected.then((pointers) => this.fetch(pointers));
      // A rejection is reported when `next` reaches the group; a scan that ends earlier ignores it.
      group.catch(() => undefined);
      this.begun.catch(() => undefined);
      this.queue.push(group);
    }
  }

  private async collect(): Promise<BlockLocation[]> {
    const { cursor, to } = this.sequence;
    const pointers: BlockLocation[] = [];
    let bytes = 0;
    let more = true;
    while (more && pointers.length < GROUP_BLOCKS && (pointers.length === 0 || bytes < this.groupBytes)) {
      pointers.push(cursor.pointer);
      bytes += cursor.pointer.size;
      more = (await cursor.next()) && (cursor.firstRow ?? 0) < to;
    }
    this.more &&= more;
    this.groupBytes = Math.min(this.maxBytes, this.groupBytes * 4);
    return pointers;
  }

  private async fetch(pointers: readonly BlockLocation[]): Promise<BlockGroup> {
    const { reader, signal, tolerant, isHeld } = this.sequence;
    const wanted = isHeld === undefined ? pointers : pointers.filter((pointer) => !isHeld(pointer));
    const [first] = wanted;
    const last = wanted.at(-1);
    const span = first && last ? Math.max(0, last.offset + last.size - first.offset) : 0;
    // Pointers have not been checked yet, and longer spans are read in pieces.
    const memory = span <= MAX_READ_SPAN ? this.memory?.take(roomFor(span)) : undefined;
    const target = memory && new Uint8Array(memory);
    try {
      const read = wanted.length === 0 ? [] : await reader.readStoredRange(wanted, { signal, target });
      let next = 0;
      const stored = pointers.map((pointer) => (pointer === wanted[next] ? read[next++] : undefined));
      return { pointers, stored, memory };
    } catch (error) {
      if (tolerant !== true || !(error instanceof CFileError)) {
        throw error;
      }
      return { pointers, stored: [], memory };
    }
  }
}
