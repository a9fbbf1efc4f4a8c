/**
 * The minimum cost of reading and writing whole columns on this machine: copies, memory allocation, the checksum.
 */
import { chooseKernels } from "@cfile/kernels/encode";
import { randomBytes } from "../data/data.js";
import { contender, measure } from "../measure.js";

const MIB = 1 << 20;
const BLOCK = 256 * 1024;
const LARGE = 32 * MIB;
const NEW_MEMORY = 64 * MIB;
const BLOCKS = 200;

export interface MachineLimits {
  /** GB/s of a copy of 32 MiB from memory to memory. */
  readonly copy: number;
  /** GB/s of a repeated copy of 256 KiB, within the caches. */
  readonly cachedCopy: number;
  /** GB/s of the checksum of 256 KiB with the kernel. */
  readonly checksum: number;
  /** Milliseconds to allocate and write a MiB of memory, in pieces of 256 KiB. */
  readonly newMemory: number;
  readonly note: string;
}

let measured: Promise<MachineLimits> | undefined;

/** Measured once per process. */
export function machineLimits(): Promise<MachineLimits> {
  measured ??= measureLimits();
  return measured;
}

/** Minimum milliseconds for a file of this size in newly allocated memory: one copy, and its checksum. */
export function minWriteTime(bytes: number, { copy, checksum, newMemory }: MachineLimits): number {
  return bytes / 1e6 / copy + bytes / 1e6 / checksum + (bytes / MIB) * newMemory;
}

/** Minimum milliseconds to verify the checksum of this many bytes. */
export function minCheckTime(bytes: number, { checksum }: MachineLimits): number {
  return bytes / 1e6 / checksum;
}

async function measureLimits(): Promise<MachineLimits> {
  const large = new Uint8Array(LARGE).fill(1);
  const target = new Uint8Array(LARGE).fill(2);
  const block = randomBytes(BLOCK);
  const kernels = chooseKernels();
  const fastest = async (run: () => unknown): Promise<number> => {
    const [timing] = await measure([contender("limit", run, () => true)], true, 0.25);
    // The fastest run, not the median, because the limit is that of a quiet machine.
    return timing?.fastest ?? Number.NaN;
  };
  const repeat = (one: () => unknown) => (): void => {
    for (let i = 0; i < BLOCKS; i++) {
      one();
    }
  };
  const copy = LARGE / 1e6 / (await fastest(() => target.set(large)));
  const cachedCopy = (BLOCK * BLOCKS) / 1e6 / (await fastest(repeat(() => target.set(block))));
  const checksum =
    (BLOCK * BLOCKS) / 1e6 / (await fastest(repeat(() => kernels.crc32c(block, 0, block.length))));
  const newMemory = (await fastest(writeNewMemory)) / (NEW_MEMORY / MIB);
  return {
    copy,
    cachedCopy,
    checksum,
    newMemory,
    note: `Limits here, each alone: memory copies at ${copy.toFixed(1)} GB/s (256 KiB within the caches at ${cachedCopy.toFixed(0)}), a MiB of new memory takes ${newMemory.toFixed(2)} ms to allocate and write, the kernel checks blocks of 256 KiB at ${checksum.toFixed(2)} GB/s.`,
  };
}

function writeNewMemory(): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let bytes = 0; bytes < NEW_MEMORY; bytes += BLOCK) {
    pieces.push(new Uint8Array(BLOCK).fill(1));
  }
  return pieces;
}
