/**
 * The memory of the module, laid out anew for every call.
 *
 * | memory | content |
 * | --- | --- |
 * | 0 .. heap base | tables and scratch of the module |
 * | heap base .. | input, and room behind it for whole vectors |
 * | .. end | output, and room behind it |
 */
import type { BlockMemory } from "@cfile/bytes";

const PAGE = 65536;
/** Room behind input and output: functions read and write up to 128 elements of 16 bytes too many. */
export const MARGIN = 2048 + 64;
/** Most memory that the module may take; more than two blocks of Kudu's largest size. */
export const MAX_MEMORY = 64 * 1024 * 1024;

export class KernelsMemory {
  /** All of the memory. Another array after a `reserve`. */
  bytes: Uint8Array;
  private readonly memory: WebAssembly.Memory;
  private readonly base: number;

  constructor(memory: WebAssembly.Memory, heapBase: number) {
    this.memory = memory;
    this.base = aligned(heapBase);
    this.bytes = new Uint8Array(memory.buffer);
  }

  /** Makes room for input and output of these lengths; `false` when that is more than the module may take. */
  reserve(input: number, output: number): boolean {
    const needed = this.base + input + output + 2 * MARGIN + 32;
    const grown = growMemory(this.memory, this.bytes, needed);
    this.bytes = grown ?? this.bytes;
    return grown !== undefined;
  }

  /** Copies `source[start..end)` to where input begins; returns where that is. */
  put(source: Uint8Array, start: number, end: number): number {
    this.bytes.set(source.subarray(start, end), this.base);
    return this.base;
  }

  /** Copies all of `source` to where input begins, and a vector of zeros behind it; returns where that is. */
  putBeforeZeros(source: Uint8Array): number {
    const end = this.base + source.length;
    this.bytes.set(source, this.base);
    this.bytes.fill(0, end, end + 16);
    return this.base;
  }

  /** Where the output of a call begins whose input has this length. */
  outputStart(inputLength: number): number {
    return aligned(this.base + inputLength + MARGIN);
  }

  /** What stands at `start`, in memory outside the module. */
  copyOut(start: number, length: number, target: BlockMemory): ArrayBuffer {
    const buffer = target.take(length);
    new Uint8Array(buffer, 0, length).set(this.bytes.subarray(start, start + length));
    return buffer;
  }
}

/**
 * All of `memory`, `needed` bytes or more; `undefined` when that is more than a module may take.
 *
 * @param bytes all of it, as it was
 */
export function growMemory(
  memory: WebAssembly.Memory,
  bytes: Uint8Array,
  needed: number,
): Uint8Array | undefined {
  if (!(needed <= MAX_MEMORY)) {
    return undefined;
  }
  if (needed <= bytes.length) {
    return bytes;
  }
  try {
    memory.grow(Math.ceil((needed - bytes.length) / PAGE));
  } catch {
    return undefined;
  }
  return new Uint8Array(memory.buffer);
}

/** The next address for a whole vector. */
export function aligned(pointer: number): number {
  return (pointer + 15) & ~15;
}

export function bytesUnder(values: Int32Array | Uint32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

export function isRange(bytes: Uint8Array, start: number, end: number): boolean {
  return start >= 0 && start <= end && end <= bytes.length;
}

/** Whether there are chunk streams of `count` elements of `size` bytes. */
export function isShuffled(count: number, size: number): boolean {
  return Number.isSafeInteger(count) && count >= 0 && count % 8 === 0 && [1, 2, 4, 8, 16].includes(size);
}

/** The binary logarithm of 1, 2, 4 or 8; -1 of others. */
export function powerOf(width: number): number {
  return [1, 2, 4, 8].indexOf(width);
}
