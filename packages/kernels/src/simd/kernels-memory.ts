/**
 * A module and its memory. Each call uses this layout:
 *
 * | memory | content |
 * | --- | --- |
 * | 0 .. heap base | tables and scratch memory of the module |
 * | heap base .. | input, followed by a margin |
 * | .. end | output, followed by a margin |
 */
import { type BlockMemory, fromHex } from "@cfile/bytes";

const PAGE = 65536;
/** For fewer bytes, a portable checksum takes less time. */
const MIN_CHECKSUM_LENGTH = 256;
/** More bytes are copied in parts. */
const CHECKSUM_PART = 262_144;
/** Margin after input and output: functions read and write up to 128 elements of 16 bytes past the end. */
export const MARGIN = 2048 + 64;
/** Maximum memory of a module in bytes; holds more than two blocks of Kudu's maximum size. */
export const MAX_MEMORY = 64 * 1024 * 1024;

interface Module {
  heapBase(): number;
}

/**
 * Compiles and starts a WebAssembly module with its own memory.
 *
 * @throws {WebAssembly.CompileError} where SIMD is not available
 */
export function startModule<T extends Module>(
  hex: string,
): { readonly module: T; readonly room: KernelsMemory } {
  return startCompiled(compiledModule(hex));
}

/** Starts a WebAssembly module with its own memory. */
export function startCompiled<T extends Module>(
  compiled: WebAssembly.Module,
): { readonly module: T; readonly room: KernelsMemory } {
  const memory = new WebAssembly.Memory({ initial: 2 });
  const module = instanceOf<T>(compiled, memory);
  return { module, room: new KernelsMemory(memory, module.heapBase()) };
}

/** @throws {WebAssembly.CompileError} where SIMD is not available */
export function compiledModule(hex: string): WebAssembly.Module {
  return new WebAssembly.Module(fromHex(hex).slice());
}

export function instanceOf<T>(module: WebAssembly.Module, memory: WebAssembly.Memory): T {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as WebAssembly.Exports & T;
}

/** The memory of a module, for the input and output of one call at a time. */
export class KernelsMemory {
  /** The whole memory; replaced by `reserve`. */
  bytes: Uint8Array;
  private readonly memory: WebAssembly.Memory;
  private readonly base: number;

  constructor(memory: WebAssembly.Memory, heapBase: number) {
    this.memory = memory;
    this.base = aligned(heapBase);
    this.bytes = new Uint8Array(memory.buffer);
  }

  /** Makes room for input and output of these lengths; `false` when that exceeds the maximum. */
  reserve(input: number, output: number): boolean {
    const needed = this.base + input + output + 2 * MARGIN + 32;
    const grown = growMemory(this.memory, this.bytes, needed);
    this.bytes = grown ?? this.bytes;
    return grown !== undefined;
  }

  /** Copies `source[start..end)` to the start of the input, and returns its address. */
  put(source: Uint8Array, start = 0, end = source.length): number {
    this.bytes.set(source.subarray(start, end), this.base);
    return this.base;
  }

  /**
   * A checksum of `source[start..end)`, by a function of the module; `undefined` if that is too short or if there is no memory for it.
   *
   * @param previous the checksum of the preceding bytes
   */
  checksum(
    checksumOf: (at: number, length: number, previous: number) => number,
    source: Uint8Array,
    start: number,
    end: number,
    previous = 0,
  ): number | undefined {
    if (end - start < MIN_CHECKSUM_LENGTH || !this.reserve(Math.min(end - start, CHECKSUM_PART), 0)) {
      return undefined;
    }
    let sum = previous;
    for (let at = start; at < end; at += CHECKSUM_PART) {
      const length = Math.min(end - at, CHECKSUM_PART);
      sum = checksumOf(this.put(source, at, at + length), length, sum);
    }
    return sum >>> 0;
  }

  /** {@link put}, with a vector of zeros after the input. */
  putBeforeZeros(source: Uint8Array): number {
    const end = this.base + source.length;
    this.bytes.fill(0, end, end + 16);
    return this.put(source);
  }

  /**
   * Makes room for strings 0 to `count` and `output` bytes, and copies the strings. In the result, `dataAt` is the address that
   * offset 0 would have. `undefined` if the strings are not inside `data` or too large.
   */
  putStrings(offsets: Int32Array, data: Uint8Array, count: number, output: number) {
    const start = offsets[0] ?? -1;
    const end = offsets[count] ?? -1;
    const input = 4 * (count + 1) + (end - start) + MARGIN;
    if (!(count >= 0 && isRange(data, start, end) && this.reserve(input, output))) {
      return undefined;
    }
    const offsetsAt = this.put(bytesUnder(offsets), 0, 4 * (count + 1));
    const stringsAt = aligned(offsetsAt + 4 * (count + 1));
    this.bytes.set(data.subarray(start, end), stringsAt);
    return { offsetsAt, dataAt: stringsAt - start, end, output: this.outputStart(input) };
  }

  /** The address of the output of a call with input of this length. */
  outputStart(inputLength: number): number {
    return aligned(this.base + inputLength + MARGIN);
  }

  /** Copies the bytes at `start` to memory outside the module. */
  copyOut(start: number, length: number, target: BlockMemory): ArrayBuffer {
    const buffer = target.take(length);
    new Uint8Array(buffer, 0, length).set(this.bytes.subarray(start, start + length));
    return buffer;
  }

  /** {@link copyOut} of 32-bit words. */
  wordsOut(start: number, count: number, target: BlockMemory): Int32Array {
    return new Int32Array(this.copyOut(start, 4 * count, target), 0, count);
  }
}

/**
 * Grows `memory` to at least `needed` bytes and returns all of it; `undefined` if that exceeds the maximum.
 *
 * @param bytes the whole memory before the call
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

/** Whether `count` elements of `size` bytes can be transposed. */
export function isShuffled(count: number, size: number): boolean {
  return Number.isSafeInteger(count) && count >= 0 && count % 8 === 0 && [1, 2, 4, 8, 16].includes(size);
}

/** The binary logarithm of 1, 2, 4 or 8, otherwise -1. */
export function powerOf(width: number): number {
  return [1, 2, 4, 8].indexOf(width);
}
