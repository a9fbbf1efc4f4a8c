/**
 * When blocks are cut (docs/spec/cfile.md#42-when-a-block-is-cut and docs/spec/cfile.md#56-dictionary), as plain arithmetic
 * over values: what each builder must accept, and when it must be full. Strings are hexadecimal.
 */
import { DATA_TYPES, type DataType, type EncodingType, physicalWidth } from "../src/index.js";
import { ReferenceRleEncoder } from "./rle-reference.js";
import type { Cell } from "./vectors.js";

export interface CutModel {
  readonly full: boolean;
  /** Number of `cells` that the block accepts; with `whole`, all. */
  add(cells: readonly Cell[], whole: boolean): number;
  cut(): void;
}

/** A builder that accepts everything. */
function greedy(blockSize: number, start: () => { put(cell: Cell): void; size(): number }): CutModel {
  let block = start();
  return {
    get full() {
      return block.size() > blockSize;
    },
    add(cells) {
      for (const cell of cells) {
        block.put(cell);
      }
      return cells.length;
    },
    cut() {
      block = start();
    },
  };
}

/** A builder that stops right after the value that makes it full. */
function stopping(blockSize: number, start: () => { put(cell: string): void; size(): number }): CutModel {
  let block = start();
  return {
    get full() {
      return block.size() > blockSize;
    },
    add(cells, whole) {
      let taken = 0;
      while (taken < cells.length && (whole || block.size() <= blockSize)) {
        block.put(String(cells[taken++]));
      }
      return taken;
    },
    cut() {
      block = start();
    },
  };
}

function counted(sizeOf: (count: number) => number) {
  let count = 0;
  return {
    put() {
      count++;
    },
    size: () => sizeOf(count),
  };
}

function rleBlock(width: number) {
  const stream = new ReferenceRleEncoder(width);
  return {
    put(cell: Cell) {
      stream.put(typeof cell === "string" ? 0n : BigInt(cell));
    },
    size: () => 8 + stream.length,
  };
}

function bytesOfOffset(offset: number): number {
  return Math.max(1, Math.ceil(offset.toString(2).length / 8));
}

function plainBinaryBlock() {
  let count = 0;
  let offset = 12;
  let sum = 0;
  return {
    put(word: string) {
      sum += bytesOfOffset(offset) + word.length / 2;
      offset += word.length / 2;
      count++;
    },
    size: () => 12 + Math.ceil(count / 4) + sum,
  };
}

function varintLength(value: number): number {
  return Math.max(1, Math.ceil(value.toString(2).length / 7));
}

function prefixBlock(interval: number) {
  let count = 0;
  let size = 0;
  let last = "";
  return {
    put(word: string) {
      let shared = 0;
      if (count % interval !== 0) {
        while (
          2 * shared < Math.min(last.length, word.length) &&
          last.startsWith(word.slice(0, 2 * shared + 2))
        ) {
          shared++;
        }
      }
      const rest = word.length / 2 - shared;
      size += varintLength(shared) + varintLength(rest) + rest;
      last = word;
      count++;
    },
    size: () => size,
  };
}

function bitshuffle(blockSize: number, width: number): CutModel {
  const capacity = Math.floor(blockSize / width);
  let count = 0;
  return {
    get full() {
      return count >= capacity;
    },
    add(cells, whole) {
      const taken = whole ? cells.length : Math.min(cells.length, Math.max(0, capacity - count));
      count += taken;
      return taken;
    },
    cut() {
      count = 0;
    },
  };
}

/** Dictionary blocks; `words` is the dictionary so far. */
export interface DictionaryModel extends CutModel {
  readonly words: readonly string[];
  readonly mode: 1 | 2;
}

export function dictionaryModel(blockSize: number): DictionaryModel {
  const plain = stopping(blockSize, plainBinaryBlock);
  const dictionary = plainBinaryBlock();
  const words: string[] = [];
  const capacity = Math.floor(blockSize / 4);
  let codes = 0;
  let mode: 1 | 2 = 1;
  const dictionaryFull = () => dictionary.size() > blockSize;
  return {
    words,
    get mode() {
      return mode;
    },
    get full() {
      return mode === 2 ? plain.full : codes >= capacity || dictionaryFull();
    },
    add(cells, whole) {
      if (mode === 2) {
        return plain.add(cells, whole);
      }
      let taken = 0;
      for (const cell of cells) {
        const word = String(cell);
        if (!words.includes(word)) {
          if (dictionaryFull() && !whole) {
            break;
          }
          dictionary.put(word);
          words.push(word);
        }
        if (codes >= capacity && !whole) {
          break;
        }
        codes++;
        taken++;
      }
      return taken;
    },
    cut() {
      codes = 0;
      plain.cut();
      if (dictionaryFull()) {
        mode = 2;
      }
    },
  };
}

export function cutModel(
  type: DataType,
  encoding: EncodingType,
  blockSize: number,
  restartInterval: number,
): CutModel {
  const { physical } = DATA_TYPES[type];
  const width = physicalWidth(physical);
  switch (encoding) {
    case "BIT_SHUFFLE":
      return bitshuffle(blockSize, width);
    case "RLE":
      return greedy(blockSize, () => rleBlock(physical === "BOOL" ? 1 : 8 * width));
    case "PREFIX_ENCODING":
      return stopping(blockSize, () => prefixBlock(restartInterval));
    case "DICT_ENCODING":
      return dictionaryModel(blockSize);
    default:
      return physical === "BINARY"
        ? stopping(blockSize, plainBinaryBlock)
        : greedy(blockSize, () =>
            counted((count) => 8 + (physical === "BOOL" ? Math.ceil(count / 8) : count * width)),
          );
  }
}
