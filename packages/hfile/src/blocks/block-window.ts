/**
 * Reads adjacent data blocks with one request. The window grows while requests are consecutive, so that short scans and jumps read
 * little.
 */
import type { ReadOptions } from "@cfile/io";
import type { IndexNode } from "../index/index-node.js";
import type { BlockLoader } from "./block-loader.js";

const FIRST_WINDOW = 64 * 1024;
/** Maximum bytes per request, except for a single larger block. */
const MAX_WINDOW = 1024 * 1024;

export class BlockWindow {
  private readonly loader: BlockLoader;
  private bytes: Uint8Array = new Uint8Array(0);
  private start = 0;
  private readonly firstSize: number;
  private size: number;

  /** @param firstSize bytes of the first request, and of requests that do not continue the previous one */
  constructor(loader: BlockLoader, firstSize = FIRST_WINDOW) {
    this.loader = loader;
    this.firstSize = firstSize;
    this.size = firstSize;
  }

  /**
   * The bytes of the block at `entry`. If they have not been read yet, reads adjacent blocks up to and including `lastEntry` that fit
   * in the window.
   */
  async read(node: IndexNode, entry: number, lastEntry: number, options: ReadOptions): Promise<Uint8Array> {
    const offset = node.offset(entry);
    const size = node.size(entry);
    const readEnd = this.start + this.bytes.length;
    if (offset < this.start || offset + size > readEnd) {
      this.size =
        offset === readEnd ? Math.min(MAX_WINDOW, Math.max(FIRST_WINDOW, 2 * this.size)) : this.firstSize;
      let end = offset + size;
      for (let next = entry + 1; next <= lastEntry && node.offset(next) === end; next++) {
        const nextEnd = end + node.size(next);
        if (nextEnd - offset > this.size) {
          break;
        }
        end = nextEnd;
      }
      this.bytes = await this.loader.read({ offset, size: end - offset }, options);
      this.start = offset;
    }
    const from = offset - this.start;
    return this.bytes.subarray(from, from + size);
  }
}
