/**
 * The words of a dictionary under construction: a plain binary block, and a hash table that finds a word's
 * codeword by its bytes (open addressing, linear probing; no strings, no objects per word).
 */
import type { BlockBuilderOptions } from "./block-codec.js";
import { PlainBinaryBuilder } from "./plain-binary.js";

const INITIAL_SLOTS = 1024;
/** Bytes of an offset, and a selector for every four. */
const MOST_WORD_OVERHEAD = 5;

/** A 32-bit hash of bytes `start` to `end` of the view: word by word, the last word overlapping the one before. */
export function hashBytes(data: DataView, start: number, end: number): number {
  const length = end - start;
  let hash = length ^ 0x9e3779b9;
  if (length >= 4) {
    const last = end - 4;
    for (let at = start; at < last; at += 4) {
      hash = mix(hash, data.getInt32(at, true));
    }
    hash = mix(hash, data.getInt32(last, true));
  } else {
    let word = 0;
    for (let at = start; at < end; at++) {
      word = (word << 8) | data.getUint8(at);
    }
    hash = mix(hash, word);
  }
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

function mix(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x5bd1e995);
  return product ^ (product >>> 15);
}

export class DictionaryWords {
  private readonly words: PlainBinaryBuilder;
  private readonly blockSize: number;
  /** Codeword + 1 by slot, 0 for none; a power of two of slots, at most half of them taken. */
  private slots = new Int32Array(INITIAL_SLOTS);
  /** Hash by codeword. */
  private hashes = new Int32Array(INITIAL_SLOTS / 2);

  constructor(options: BlockBuilderOptions) {
    this.words = new PlainBinaryBuilder(options);
    this.blockSize = options.blockSize;
  }

  get count(): number {
    return this.words.count;
  }

  /** Whether the dictionary's estimated size exceeds the block size. */
  get full(): boolean {
    return this.words.full;
  }

  /** Whether `count` words of `bytes` bytes in all surely do not make the dictionary full. */
  surelyTakes(count: number, bytes: number): boolean {
    return this.words.estimate + bytes + MOST_WORD_OVERHEAD * count <= this.blockSize;
  }

  /** The codeword of bytes `start` to `end` of the view, or -1. `hash` must be their {@link hashBytes}. */
  find(hash: number, data: DataView, start: number, end: number): number {
    const { slots, hashes, words } = this;
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const code = (slots[slot] as number) - 1;
      if (code < 0 || (hashes[code] === hash && words.holds(code, data, start, end))) {
        return code;
      }
    }
  }

  /** Adds a word that is not there yet, full or not, and returns its codeword. */
  add(hash: number, data: Uint8Array, start: number, end: number): number {
    const code = this.words.count;
    if (code === this.hashes.length) {
      this.grow();
    }
    this.words.append(data, start, end);
    this.hashes[code] = hash;
    this.occupy(hash, code);
    return code;
  }

  /** The dictionary block. All words are gone afterwards. */
  finish(): Uint8Array {
    this.slots.fill(0);
    return this.words.finish(0);
  }

  private occupy(hash: number, code: number): void {
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = hash & mask;
    while (slots[slot] !== 0) {
      slot = (slot + 1) & mask;
    }
    slots[slot] = code + 1;
  }

  private grow(): void {
    const { hashes } = this;
    this.hashes = new Int32Array(hashes.length * 2);
    this.hashes.set(hashes);
    this.slots = new Int32Array(this.slots.length * 2);
    for (let code = 0; code < hashes.length; code++) {
      this.occupy(hashes[code] as number, code);
    }
  }
}
