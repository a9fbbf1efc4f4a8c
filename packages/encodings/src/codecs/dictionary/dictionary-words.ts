/**
 * The words of a dictionary under construction: a plain binary block, and a hash table that finds a word's
 * codeword by its bytes (open addressing, linear probing; no strings, no objects per word).
 */
import type { CodeTarget, HeldWords, WordLookup, WordStore, WordStrings } from "@cfile/kernels";
import { misplacedValue } from "../../batch/binary-values.js";
import type { BlockBuilderOptions } from "../block-codec.js";
import { PlainBinaryBuilder } from "../plain/plain-binary-builder.js";

const INITIAL_SLOTS = 1024;
/** Bytes of an offset, and a selector for every four. */
const MOST_WORD_OVERHEAD = 5;
/** Numbers kept of each word: see `prints`. */
const PRINT = 4;
/** A word of so many bytes is all in its print: first, second and last four bytes. */
const LONGEST_IN_PRINT = 12;

export class DictionaryWords implements WordLookup, WordStore {
  private readonly words: PlainBinaryBuilder;
  private readonly blockSize: number;
  /** Words that the slots know; the rest was appended by who found it new. */
  private indexed = 0;
  /** Codeword + 1 by slot, 0 for none; a power of two of slots, at most half of them taken. */
  private slots = new Int32Array(INITIAL_SLOTS);
  /**
   * Of each word, by codeword: its length, its first, second and last four bytes. They may overlap; a word below four bytes
   * has them all in the first number, one of less than eight has no second.
   */
  private prints = new Int32Array((INITIAL_SLOTS / 2) * PRINT);
  /** Print and hash of the word that was looked for last. */
  private first = 0;
  private second = 0;
  private last = 0;
  private hash = 0;

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

  /** All words so far; valid until the next is added. */
  held(): HeldWords {
    return this.words.strings();
  }

  /** Adds a word that is known to be new. */
  append(data: Uint8Array, start: number, end: number): void {
    this.words.append(data, start, end);
  }

  /** What a faster table keeps up to date: these words. */
  get store(): WordStore {
    return this;
  }

  lookUp(strings: WordStrings, from: number, to: number, { codes, isWhole, room }: CodeTarget): number {
    this.index();
    const { data, offsets } = strings;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    let taken = 0;
    for (let i = from; i < to; i++) {
      const start = offsets[i] as number;
      const end = offsets[i + 1] as number;
      if (!(start >= 0 && start <= end && end <= data.length)) {
        throw misplacedValue(i);
      }
      let code = this.find(view, start, end);
      if (code < 0) {
        if (this.full && !isWhole) {
          break;
        }
        code = this.add(data, start, end);
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

  /** To be called before words are looked for when some were appended. */
  private index(): void {
    const { words } = this;
    while (this.indexed < words.count) {
      words.visit(this.indexed, (data, start, end) => {
        this.find(data, start, end);
        this.enter(end - start);
      });
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
      if (length > LONGEST_IN_PRINT) {
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
        (length <= LONGEST_IN_PRINT || words.holds(code, data, start, end))
      ) {
        return code;
      }
    }
  }

  /** Adds the word that was looked for last and not found, full or not, and returns its codeword. */
  private add(data: Uint8Array, start: number, end: number): number {
    this.words.append(data, start, end);
    return this.enter(end - start);
  }

  /** Enters the first word that has no slot, which was looked for last. */
  private enter(length: number): number {
    const code = this.indexed;
    if (code * PRINT === this.prints.length) {
      this.grow();
    }
    const { first, last, prints, second } = this;
    const print = code * PRINT;
    prints[print] = length;
    prints[print + 1] = first;
    prints[print + 2] = second;
    prints[print + 3] = last;
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = this.hash & mask;
    while (slots[slot] !== 0) {
      slot = (slot + 1) & mask;
    }
    slots[slot] = code + 1;
    this.indexed++;
    return code;
  }

  /** The dictionary block. All words are gone afterwards. */
  finish(): Uint8Array {
    this.slots.fill(0);
    this.indexed = 0;
    return this.words.finish(0);
  }

  /** Twice the room; words find their slots again by their bytes. */
  private grow(): void {
    const { prints, words } = this;
    const { first, hash, last, second } = this;
    this.prints = new Int32Array(prints.length * 2);
    this.prints.set(prints);
    this.slots = new Int32Array(this.slots.length * 2);
    const { slots } = this;
    const mask = slots.length - 1;
    for (let code = 0; code < this.indexed; code++) {
      words.visit(code, (data, start, end) => this.find(data, start, end));
      let slot = this.hash & mask;
      while (slots[slot] !== 0) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = code + 1;
    }
    this.first = first;
    this.second = second;
    this.last = last;
    this.hash = hash;
  }
}

/** The numbers do not wait for each other: most of a hash's time is that of one multiplication. */
function printHash(length: number, first: number, second: number, last: number): number {
  const left = Math.imul(first ^ 0x3c6ef372, 0x85ebca6b);
  const middle = Math.imul(second ^ length, 0xc2b2ae35);
  const right = Math.imul(last, 0x5bd1e995);
  const hash = left ^ (left >>> 15) ^ middle ^ (middle >>> 13) ^ right ^ (right >>> 16);
  return hash ^ (hash >>> 17);
}

/** The hash with the bytes from `start` to `end`, and up to three behind them, word by word. */
function mixedWith(hash: number, data: DataView, start: number, end: number): number {
  for (let at = start; at < end; at += 4) {
    const product = Math.imul(hash ^ data.getInt32(at, true), 0x5bd1e995);
    hash = product ^ (product >>> 15);
  }
  return hash;
}
