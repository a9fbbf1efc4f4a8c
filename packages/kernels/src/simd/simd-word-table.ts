/**
 * A table of words: an instance of the module in `assembly/words.ts` with its own memory.
 *
 * | memory | content |
 * | --- | --- |
 * | 0 .. heap base | tables of the module |
 * | heap base .. | slots, 4 bytes each |
 * | .. | an entry of 32 bytes for every four slots |
 * | .. | bytes of the words |
 * | .. end | offsets and bytes of the strings to look up, their codes, positions of new words |
 */
import { WORDS_WASM } from "../generated/words-wasm.js";
import type { HeldWords, WordStrings } from "../word-table.js";
import {
  aligned,
  bytesUnder,
  compiledModule,
  growMemory,
  instanceOf,
  isRange,
  MARGIN,
} from "./kernels-memory.js";
import type { WordsModule } from "./kernels-module.js";

const FIRST_SLOTS = 4096;
const SLOTS_PER_WORD = 4;
const FIRST_BYTES = 16384;
const ENTRY = 32;
/** Maximum strings and bytes per lookup. */
const MAX_STRINGS = 4096;
const MAX_BYTES = 1 << 20;
/** Maximum number of released tables kept for other dictionaries. */
const MAX_SPARE = 8;

/** Codewords of strings, and which of the strings are new words. */
export interface FoundCodes {
  readonly codes: Uint32Array;
  /** Positions of the new words, relative to `from`, in order. */
  readonly fresh: Uint32Array;
  /** Whether no code can be added, because there is no room or the dictionary is full. */
  readonly isFull: boolean;
}

/** The result for strings that the table cannot look up. */
export const NO_CODES: FoundCodes = { codes: new Uint32Array(0), fresh: new Uint32Array(0), isFull: false };

let compiled: WebAssembly.Module | undefined;

export class SimdWordTable {
  private readonly module: WordsModule;
  private readonly memory: WebAssembly.Memory;
  private readonly spare: SimdWordTable[];
  private bytes: Uint8Array;
  private slots = FIRST_SLOTS;
  private wordBytes = FIRST_BYTES;
  /** Address of the input; changes with the room for words. */
  private inputAt = 0;
  /** Number of words. */
  private count = 0;

  /** @param spare the list to which the table is added on release */
  constructor(spare: SimdWordTable[]) {
    compiled ??= compiledModule(WORDS_WASM);
    this.memory = new WebAssembly.Memory({ initial: 2 });
    this.module = instanceOf<WordsModule>(compiled, this.memory);
    this.bytes = new Uint8Array(this.memory.buffer);
    this.spare = spare;
    this.clear();
  }

  /**
   * Finds the codewords of strings, starting at `from`, but not always of all strings up to `to`. New words are added to the table,
   * unless the dictionary is full or there is no room for more codes.
   *
   * @param held the words so far; the table learns those it lacks
   * @returns arrays that are valid until the next call; `NO_CODES` for strings that are not inside `data` or too large
   */
  findCodes(strings: WordStrings, from: number, to: number, room: number, held: HeldWords): FoundCodes {
    const { offsets, data } = strings;
    const { module } = this;
    const start = offsets[from] ?? -1;
    let count = Math.min(to - from, MAX_STRINGS);
    while (count > 1 && (offsets[from + count] as number) - start > MAX_BYTES) {
      count >>>= 1;
    }
    const end = offsets[from + count] ?? -1;
    if (!isRange(data, start, end) || end - start > MAX_BYTES || !this.hold(held)) {
      return NO_CODES;
    }
    for (;;) {
      const own = offsets.subarray(from, from + count + 1);
      const codesAt = this.put(own, data.subarray(start, end), 8 * count);
      if (codesAt === undefined) {
        return NO_CODES;
      }
      const freshAt = codesAt + 4 * count;
      const error = module.findCodes(
        this.inputAt,
        count,
        this.dataAt(count) - start,
        end,
        room,
        held.offsets[held.count] as number,
        held.valueBytes,
        held.blockSize,
        codesAt,
        freshAt,
      );
      const taken = module.codesTaken();
      const added = module.wordsAdded();
      if (error !== 0) {
        this.clear();
        return NO_CODES;
      }
      this.count += added;
      if (taken === 0 && added === 0 && module.isOutOfRoom() !== 0) {
        this.slots *= 2;
        this.wordBytes = 2 * this.wordBytes + (end - start);
        if (!this.relearn(held)) {
          return NO_CODES;
        }
        continue;
      }
      return {
        codes: new Uint32Array(this.bytes.buffer, codesAt, taken),
        fresh: new Uint32Array(this.bytes.buffer, freshAt, added),
        isFull: taken < count && module.isOutOfRoom() === 0,
      };
    }
  }

  /** Releases the table for another dictionary. Call it once, at the end. */
  release(): void {
    this.clear();
    if (this.spare.length < MAX_SPARE) {
      this.spare.push(this);
    }
  }

  /** Makes the table hold exactly these words. */
  private hold(held: HeldWords): boolean {
    return this.count === held.count || (this.count < held.count && this.learn(held)) || this.relearn(held);
  }

  private relearn(held: HeldWords): boolean {
    while (this.slots < SLOTS_PER_WORD * held.count) {
      this.slots *= 2;
    }
    const needed = (held.offsets[held.count] as number) - (held.offsets[0] as number);
    this.wordBytes = Math.max(this.wordBytes, needed);
    return this.clear() && this.learn(held);
  }

  private learn({ offsets, data, count }: HeldWords): boolean {
    if (count === this.count) {
      return true;
    }
    const start = offsets[this.count] as number;
    const newOffsets = offsets.subarray(this.count, count + 1);
    const outputAt = this.put(newOffsets, data.subarray(start, offsets[count]), 0);
    if (
      outputAt === undefined ||
      this.module.learn(this.inputAt, count - this.count, this.dataAt(count - this.count) - start) === 0
    ) {
      return false;
    }
    this.count = count;
    return true;
  }

  private dataAt(count: number): number {
    return aligned(this.inputAt + 4 * (count + 1));
  }

  /** Copies strings to the input; returns the address of `output` bytes after them. */
  private put(offsets: Int32Array, data: Uint8Array, output: number): number | undefined {
    const dataAt = this.dataAt(offsets.length - 1);
    const outputAt = aligned(dataAt + data.length + MARGIN);
    if (!this.grow(outputAt + output + MARGIN)) {
      return undefined;
    }
    this.bytes.set(bytesUnder(offsets), this.inputAt);
    this.bytes.set(data, dataAt);
    return outputAt;
  }

  /** Removes all words; `false` if there is not enough memory for the table. */
  private clear(): boolean {
    const slotsAt = aligned(this.module.heapBase());
    const entriesAt = slotsAt + 4 * this.slots;
    const bytesAt = entriesAt + (ENTRY / SLOTS_PER_WORD) * this.slots;
    this.count = 0;
    this.inputAt = aligned(bytesAt + this.wordBytes + MARGIN);
    if (!this.grow(this.inputAt)) {
      this.slots = FIRST_SLOTS;
      this.wordBytes = FIRST_BYTES;
      return false;
    }
    this.module.clear(slotsAt, this.slots, entriesAt, bytesAt, this.wordBytes);
    return true;
  }

  private grow(needed: number): boolean {
    const grown = growMemory(this.memory, this.bytes, needed);
    this.bytes = grown ?? this.bytes;
    return grown !== undefined;
  }
}
