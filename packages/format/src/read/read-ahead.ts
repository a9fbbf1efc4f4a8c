/**
 * The stored data blocks of a scan, in order and ahead of it: blocks that lie together are fetched together in groups, and a
 * bounded number of groups is on its way while an earlier one is decoded.
 */
import { type BlockLocation, invalidArgument, type MemoryArena } from "@cfile/bytes";
import { type BlockReader, MAX_READ_SPAN, roomFor } from "../blocks/block-reader.js";
import type { BlockCursor } from "../index/block-directory.js";
import type { ReadAhead } from "./reader-options.js";

/** A group of a local source has up to this many bytes; every group up to so many blocks. */
const LOCAL_GROUP_BYTES = 1 << 20;
const GROUP_BLOCKS = 256;
const REMOTE_BYTES = 24 << 20;
const REMOTE_REQUESTS = 6;
/** Over a network the first group is small, so that the first rows come soon; each following one is four times as large. */
const FIRST_REMOTE_GROUP = 256 << 10;

/** The part of an arena that stored blocks are read into. */
export const READS = "reads";

export interface BlockGroup {
  readonly pointers: readonly BlockLocation[];
  readonly stored: readonly Uint8Array[];
  /** Where they were put, unless the source had them at hand. */
  readonly memory: ArrayBuffer | undefined;
}

export interface BlockSequence {
  readonly reader: BlockReader;
  /** Stands on the first block. */
  readonly cursor: BlockCursor;
  /** Blocks from this row on are not wanted. */
  readonly to: number;
  readonly readAhead?: ReadAhead | undefined;
  /** With it, nobody looks at a group's bytes any more when the next group is asked for: they are in its part {@link READS}. */
  readonly arena?: MemoryArena | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class BlockGroups {
  private readonly sequence: BlockSequence;
  private readonly requests: number;
  /** Groups that are begun before the first is there. */
  private readonly atOnce: number;
  private readonly mostBytes: number;
  private groupBytes: number;
  private readonly queue: Promise<BlockGroup>[] = [];
  /** Done when the cursor stands behind the last group that was begun; whether there is more. */
  private begun: Promise<boolean> = Promise.resolve(true);
  private more = true;
  private readonly memory: MemoryArena | undefined;
  private lent: ArrayBuffer | undefined;

  /** @throws CFileError `E_INVALID_ARGUMENT` when `readAhead` has no sensible numbers */
  constructor(sequence: BlockSequence) {
    const { isRemote } = sequence.reader;
    const {
      requests = isRemote ? REMOTE_REQUESTS : 1,
      bytes = isRemote ? REMOTE_BYTES : LOCAL_GROUP_BYTES * Math.max(1, requests),
    } = sequence.readAhead ?? {};
    if (!(Number.isInteger(requests) && requests >= 0 && bytes >= 0)) {
      throw invalidArgument(`readAhead has ${requests} requests of ${bytes} bytes`, { field: "readAhead" });
    }
    this.sequence = sequence;
    this.requests = requests;
    this.mostBytes = bytes / Math.max(1, requests);
    this.groupBytes = isRemote ? Math.min(FIRST_REMOTE_GROUP, this.mostBytes) : this.mostBytes;
    this.memory = sequence.reader.isMemory ? undefined : sequence.arena?.part(READS);
    this.atOnce = isRemote ? Math.max(1, requests) : 1;
  }

  /** The next group; `undefined` behind the last one. */
  async next(): Promise<BlockGroup | undefined> {
    this.takeBack();
    // A local scan that ends within its first group has read nothing else.
    this.beginUpTo(this.atOnce);
    const group = await this.queue.shift();
    this.lent = group?.memory;
    this.beginUpTo(this.requests);
    return group?.pointers.length === 0 ? undefined : group;
  }

  /** Nobody looks at the last group's bytes any more. */
  finish(): void {
    this.takeBack();
  }

  /** Nothing more is begun; what is on its way keeps its memory. */
  close(): void {
    this.more = false;
    this.memory?.detachAll();
  }

  private takeBack(): void {
    if (this.lent !== undefined) {
      this.memory?.giveBack(this.lent);
      this.lent = undefined;
    }
  }

  private beginUpTo(groups: number): void {
    while (this.more && this.queue.length < groups) {
      this.begin();
    }
  }

  private begin(): void {
    const collected = this.begun.then((more) => (more ? this.collect() : []));
    // The pointers of the next group follow when the cursor has those of this one.
    this.begun = collected.then(() => this.more);
    const group = collected.then((pointers) => this.fetch(pointers));
    // A rejection is reported when the group is asked for; a scan that ends before that does not care.
    group.catch(() => undefined);
    this.begun.catch(() => undefined);
    this.queue.push(group);
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
    this.groupBytes = Math.min(this.mostBytes, this.groupBytes * 4);
    return pointers;
  }

  private async fetch(pointers: readonly BlockLocation[]): Promise<BlockGroup> {
    const { reader, signal } = this.sequence;
    const span = spanOf(pointers);
    // Pointers are not checked yet, and what is longer is read in pieces.
    const memory = span <= MAX_READ_SPAN ? this.memory?.take(roomFor(span)) : undefined;
    const target = memory && new Uint8Array(memory);
    return { pointers, stored: await reader.readStoredRange(pointers, { signal, target }), memory };
  }
}

/** Bytes from the first block to the end of the last. */
function spanOf(pointers: readonly BlockLocation[]): number {
  const [first] = pointers;
  const last = pointers.at(-1);
  return first === undefined || last === undefined ? 0 : Math.max(0, last.offset + last.size - first.offset);
}
