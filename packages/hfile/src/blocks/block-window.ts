/**
 * Reads neighboring data blocks with one request. The window grows while requests are consecutive, so that short scans and jumps read
 * little.
 */
import type { BlockLocation } from "@cfile/bytes";
import type { ReadOptions } from "@cfile/io";
import type { IndexNode } from "../index/index-node.js";
import type { BlockLoader } from "./block-loader.js";

const FIRST_WINDOW = 64 * 1024;
/** Maximum bytes per request, except for a single larger block. */
const MAX_WINDOW = 1024 * 1024;
/** Maximum bytes between two blocks of one request: HBase writes blocks of the index and of Bloom filters between data blocks. */
const MAX_GAP = 64 * 1024;

export interface BlockWindowOptions {
  /** Bytes of the first request, and of requests that do not continue the previous one. */
  readonly firstSize?: number | undefined;
  /** Whether consecutive requests are sent before their blocks are needed. Default `false`. */
  readonly isAhead?: boolean | undefined;
}

/** A request for blocks. */
interface Request {
  readonly location: BlockLocation;
  readonly bytes: Promise<Uint8Array>;
  /** The first entry of the node after these blocks. */
  readonly nextEntry: number;
}

export class BlockWindow {
  private readonly loader: BlockLoader;
  private readonly firstSize: number;
  private readonly isAhead: boolean;
  private bytes: Uint8Array = new Uint8Array(0);
  private start = 0;
  private size: number;
  /** The node of the last request, and its entry after the blocks of that request. */
  private node: IndexNode | undefined;
  private nextEntry = 0;
  private ahead: Request | undefined;

  constructor(loader: BlockLoader, { firstSize = FIRST_WINDOW, isAhead = false }: BlockWindowOptions = {}) {
    this.loader = loader;
    this.firstSize = firstSize;
    this.isAhead = isAhead;
    this.size = firstSize;
  }

  /**
   * The bytes of the block at `entry`. If they have not been read yet, reads neighboring blocks up to and including `lastEntry` that fit
   * in the window.
   */
  async read(node: IndexNode, entry: number, lastEntry: number, options: ReadOptions): Promise<Uint8Array> {
    const location = node.location(entry);
    if (!contains({ offset: this.start, size: this.bytes.length }, location)) {
      await this.move(node, entry, lastEntry, options);
    }
    const from = location.offset - this.start;
    return this.bytes.subarray(from, from + location.size);
  }

  private async move(node: IndexNode, entry: number, lastEntry: number, options: ReadOptions): Promise<void> {
    const isConsecutive = this.continuesAt(node, entry);
    let request = this.ahead;
    this.ahead = undefined;
    if (request === undefined || !isConsecutive) {
      this.size = isConsecutive ? this.grownSize() : this.firstSize;
      request = this.request(node, entry, lastEntry, options);
    }
    const { nextEntry } = request;
    this.bytes = await request.bytes;
    this.start = request.location.offset;
    this.node = node;
    this.nextEntry = nextEntry;
    if (this.isAhead && isConsecutive && nextEntry <= lastEntry) {
      this.size = this.grownSize();
      this.ahead = this.request(node, nextEntry, lastEntry, options);
    }
  }

  /** Whether an entry is the one after the last request. */
  private continuesAt(node: IndexNode, entry: number): boolean {
    return node === this.node
      ? entry === this.nextEntry
      : entry === 0 && this.node !== undefined && this.nextEntry === this.node.length;
  }

  private grownSize(): number {
    return Math.min(MAX_WINDOW, Math.max(FIRST_WINDOW, 2 * this.size));
  }

  /** Requests the block at `entry`, and neighbors that fit in the window. */
  private request(node: IndexNode, entry: number, lastEntry: number, options: ReadOptions): Request {
    const { end: fileEnd, limits } = this.loader.options;
    const offset = node.offset(entry);
    const maxSize = Math.min(this.size, limits.maxStoredBlockSize, fileEnd - offset);
    let size = node.size(entry);
    let nextEntry = entry + 1;
    for (; nextEntry <= lastEntry; nextEntry++) {
      const next = node.location(nextEntry);
      const newSize = next.offset + next.size - offset;
      const gap = next.offset - (offset + size);
      if (gap < 0 || gap > MAX_GAP || newSize > maxSize) {
        break;
      }
      size = newSize;
    }
    const location = { offset, size };
    const bytes = this.load(location, options);
    // The caller that awaits the bytes gets the error.
    bytes.catch(() => undefined);
    return { location, bytes, nextEntry };
  }

  /** Without errors before the result is awaited. */
  private async load(location: BlockLocation, options: ReadOptions): Promise<Uint8Array> {
    return this.loader.read(location, options);
  }
}

function contains(outer: BlockLocation, inner: BlockLocation): boolean {
  return inner.offset >= outer.offset && inner.offset + inner.size <= outer.offset + outer.size;
}
