/**
 * The words of a dictionary under construction: a plain binary block, and a hash table that finds a word's
 * codeword by its bytes (open addressing, linear probing; no strings, no objects per word).
 */
import type { CodeTarget, HeldWords, WordLookup, WordStore, WordStrings } from "@cfile/kernels";
import type { BlockBuilderOptions } from "../block-codec.js";
import { requireInside } from "../builder-input.js";
import { PlainBinaryBuilder } from "../plain/plain-binary-builder.js";

const INITIAL_SLOTS = 1024;
/** Maximum bytes per word in addition to its own: an offset, and a selector for every four offsets. */
const MAX_WORD_OVERHEAD = 5;
/** Numbers per fingerprint in `prints`. */
const PRINT = 4;
/** The fingerprint of a word of up to this many bytes contains all of it. */
const MAX_IN_PRINT = 12;

export class DictionaryWords implements WordLookup, WordStore {
  /** The words, to which a faster table also appends. */
  readonly store: WordStore = this;
  private readonly words: PlainBinaryBuilder;
  private readonly blockSize: number;
  /** Words in the hash table; a faster table may have appended more. */
  private indexed = 0;
  /** Codeword + 1 by slot, 0 for none; a power of two of slots, at most half of them taken. */
  private slots = new Int32Array(INITIAL_SLOTS);
  /**
   * Fingerprint of each word, by codeword: its length, its first, second and last four bytes, which may overlap. Words shorter
   * than four bytes are in the first number only, words shorter than eight have no second.
   */
  private prints = new Int32Array((INITIAL_SLOTS / 2) * PRINT);
  /** Hash of each word, by codeword. */
  private hashes = new Int32Array(INITIAL_SLOTS / 2);
  /** Fingerprint and hash of the word looked up last. */
  private first = 0;
  private second = 0;
  private last = 0;
  private hash = 0;

  constructor(options: BlockBuilderOptions) {
    this.words = new PlainBinaryBuilder(options);
    this.blockSize = options.blockSize;
  }

  /** Whether the dictionary's estimated size exceeds the block size. */
  get full(): boolean {
    return this.words.full;
  }

  /** Whether `count` words of `bytes` bytes in total cannot make the dictionary full. */
  surelyTakes(count: number, bytes: number): boolean {
    return this.words.estimate + bytes + MAX_WORD_OVERHEAD * count <= this.blockSize;
  }

  held(): HeldWords {
    return this.words.strings();
  }

  append(data: Uint8Array, start: number, end: number): void {
    this.words.append(data, start, end);
  }

  lookUp(strings: WordStrings, from: number, to: number, { codes, isWhole, room }: CodeTarget): number {
    this.index();
    const { data, offsets } = strings;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    let taken = 0;
    for (let i = from; i < to; i++) {
      const start = offsets[i] as number;
      const end = offsets[i + 1] as number;
      requireInside(start, end, data, i);
      let code = this.find(view, start, end);
      if (code < 0) {
        if (this.full && !isWhole) {
          break;
        }
        this.words.append(data, start, end);
        code = this.enter(end - start);
      }
      // A new word enters the dictionary even when there is no room left for its code.
      if (taken === room) {
        break;
      }
      codes[taken++] = code;
    }
    return taken;
  }

  release(): void {}

  /** Adds the words that were appended since the last lookup to the hash table. */
  private index(): void {
    if (this.indexed === this.words.count) {
      return;
    }
    const { count, data, offsets } = this.words.strings();
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    while (this.indexed < count) {
      const start = offsets[this.indexed] as number;
      const end = offsets[this.indexed + 1] as number;
      this.find(view, start, end);
      this.enter(end - start);
    }
  }

  /** The codeword of bytes `start` to `end` of the view, or -1. */
  private find(data: DataView, start: number, end: number): number {
    const { prints, slots, words } = this;
    const length = end - start;
    let first = 0;
    let second = 0;
    let last = 0;
    let hash: number;
    if (length >= 4) {
      first = data.getInt32(start, true);
      last = data.getInt32(end - 4, true);
      if (length >= 8) {
        second = data.getInt32(start + 4, true);
      }
      hash = printHash(length, first, second, last);
      if (length > MAX_IN_PRINT) {
        hash = mixedWith(hash, data, start + 8, end - 4);
      }
    } else {
      for (let at = start; at < end; at++) {
        first = (first << 8) | data.getUint8(at);
      }
      hash = printHash(length, first, second, last);
    }
    this.first = first;
    this.second = second;
    this.last = last;
    this.hash = hash;
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const code = (slots[slot] as number) - 1;
      if (code < 0) {
        return -1;
      }
      const print = code * PRINT;
      if (
        prints[print] === length &&
        prints[print + 1] === first &&
        prints[print + 2] === second &&
        prints[print + 3] === last &&
        (length <= MAX_IN_PRINT || words.holds(code, data, start, end))
      ) {
        return code;
      }
    }
  }

  /** Adds the word that was looked up last, of `length` bytes, to the hash table; returns its codeword. */
  private enter(length: number): number {
    const code = this.indexed++;
    if (code === this.hashes.length) {
      this.grow();
    }
    const { prints } = this;
    const print = code * PRINT;
    prints[print] = length;
    prints[print + 1] = this.first;
    prints[print + 2] = this.second;
    prints[print + 3] = this.last;
    this.hashes[code] = this.hash;
    takeSlot(this.slots, this.hash, code);
    return code;
  }

  /** Returns the dictionary block and removes all words. */
  finish(): Uint8Array {
    this.slots.fill(0);
    this.indexed = 0;
    return this.words.finish(0);
  }

  private grow(): void {
    const { hashes, prints } = this;
    this.prints = new Int32Array(prints.length * 2);
    this.prints.set(prints);
    this.hashes = new Int32Array(hashes.length * 2);
    this.hashes.set(hashes);
    this.slots = new Int32Array(this.slots.length * 2);
    for (let code = 0; code < hashes.length; code++) {
      takeSlot(this.slots, hashes[code] as number, code);
    }
  }
}

function takeSlot(slots: Int32Array, hash: number, code: number): void {
  const mask = slots.length - 1;
  let slot = hash & mask;
  while (slots[slot] !== 0) {
    slot = (slot + 1) & mask;
  }
  slots[slot] = code + 1;
}

/** The multiplications do not depend on each other, so the processor runs them in parallel. */
function printHash(length: number, first: number, second: number, last: number): number {
  const left = Math.imul(first ^ 0x3c6ef372, 0x85ebca6b);
  const middle = Math.imul(second ^ length, 0xc2b2ae35);
  const right = Math.imul(last, 0x5bd1e995);
  const hash = left ^ (left >>> 15) ^ middle ^ (middle >>> 13) ^ right ^ (right >>> 16);
  return hash ^ (hash >>> 17);
}

/** Mixes the bytes from `start` to `end`, and up to three after them, into the hash, word by word. */
function mixedWith(hash: number, data: DataView, start: number, end: number): number {
  for (let at = start; at < end; at += 4) {
    const product = Math.imul(hash ^ data.getInt32(at, true), 0x5bd1e995);
    hash = product ^ (product >>> 15);
  }
  return hash;
}
