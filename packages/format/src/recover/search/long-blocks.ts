/**
 * Finds long blocks at any offset by their checksums, in one pass over a range of any length. Such a range has too many positions
 * for the table of `checksum-scan.ts`, so only positions at which a block can start enter this table.
 */
import { attempt, type BlockLocation } from "@cfile/bytes";
import { ChecksumKeys, hash } from "./checksum-scan.js";
import type { DamagedSource } from "./damaged-source.js";
import { type BlockSearch, START_LENGTH } from "./long-block-start.js";

/** Maximum stored size of a block that can be found. */
const MAX_LONG_BLOCK = 1 << 26;
const READ = 1 << 20;
const TABLE_BITS = 21;
/** Maximum total bytes of tested blocks per byte of the range. Only crafted bytes have more. */
const MAX_LOOKS = 16;
/** Maximum starts compared per end. Only in crafted bytes do more starts have the same number, or the same hash. */
const MAX_STEPS = 64;

/** The last possible starts, by their numbers. */
class Starts {
  private count = 0;
  private steps = 0;
  private readonly keys = new Int32Array(1 << TABLE_BITS);
  private readonly positions = new Float64Array(1 << TABLE_BITS);
  /** For each start: the previous start with the same hash. */
  private readonly before = new Float64Array(1 << TABLE_BITS);
  private readonly heads = new Float64Array(1 << TABLE_BITS).fill(-1);

  add(key: number, position: number): void {
    const slot = this.count % this.keys.length;
    const head = hash(key, 32 - TABLE_BITS);
    this.keys[slot] = key;
    this.positions[slot] = position;
    this.before[slot] = this.heads[head] as number;
    this.heads[head] = this.count++;
  }

  /** Number of the last start with this key; -1 without one. */
  last(key: number): number {
    this.steps = MAX_STEPS;
    return this.from(this.heads[hash(key, 32 - TABLE_BITS)] as number, key);
  }

  /** Number of the start before `start` with the same key; -1 without one, or after `MAX_STEPS` since the call of `last`. */
  previous(start: number): number {
    const slot = start % this.keys.length;
    return this.from(this.before[slot] as number, this.keys[slot] as number);
  }

  positionOf(start: number): number {
    return this.positions[start % this.keys.length] as number;
  }

  private from(start: number, key: number): number {
    const oldest = Math.max(0, this.count - this.keys.length);
    let at = start;
    while (at >= oldest && this.steps-- > 0) {
      if (this.keys[at % this.keys.length] === key) {
        return at;
      }
      at = this.before[at % this.keys.length] as number;
    }
    return -1;
  }
}

/** @param minSize minimum size of a block */
export async function searchLongBlocks<T>(
  file: DamagedSource,
  start: number,
  end: number,
  minSize: number,
  { classify, mayStart }: BlockSearch<T>,
): Promise<T[]> {
  const found: T[] = [];
  const starts = new Starts();
  const keys = new ChecksumKeys();
  const maxSize = Math.min(MAX_LONG_BLOCK, file.limits.maxStoredBlockSize);
  let budget = Math.max(MAX_LONG_BLOCK, MAX_LOOKS * (end - start));
  for (let position = start; position < end; position += READ) {
    file.signal?.throwIfAborted();
    const next = Math.min(end, position + READ);
    const bytes = await file.read(position, Math.min(end, next + START_LENGTH));
    const matches: BlockLocation[] = [];
    for (let at = 0; at < next - position; at++) {
      if (position + at + minSize <= end && mayStart(bytes, at, minSize)) {
        starts.add(keys.start, position + at);
      }
      keys.push(bytes[at] as number);
      const blockEnd = position + at + 1;
      for (let from = starts.last(keys.end); from >= 0; from = starts.previous(from)) {
        const size = blockEnd - starts.positionOf(from);
        if (size >= minSize && size <= maxSize && size <= budget) {
          budget -= size;
          matches.push({ offset: blockEnd - size, size });
        }
      }
    }
    for (const block of matches) {
      const stored = await file.read(block.offset, block.offset + block.size);
      const part = attempt(() => classify(block, stored));
      found.push(...(part === undefined ? [] : [part]));
    }
  }
  return found;
}
