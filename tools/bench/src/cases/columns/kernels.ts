/** The hot loops alone: WebAssembly SIMD, portable TypeScript, and other libraries. */
import type { BenchCase, BenchGoal, BenchRow } from "../../bench-case.js";
import { asciiStrings, randomBytes, stridedIntegers, valueText } from "../../data/data.js";
import { type KernelTask, measureKernel } from "../../kernel-task.js";
import { checksumTask } from "../../kernels/checksum.js";
import { lz4Tasks } from "../../kernels/lz4.js";
import { snappyTasks } from "../../kernels/snappy.js";
import { transposedChunks, transposeTasks } from "../../kernels/transpose.js";

const BLOCK = 256 * 1024;
const CHUNK = 8 * 1024;
const BLOCKS = 16;

/** Text of a plain string block: consecutive strings of about 12 bytes. */
const textBytes = (length: number): Uint8Array =>
  asciiStrings(Math.ceil(length / 8), (row) => valueText(row, 1000003)).data.slice(0, length);

export const kernels: BenchCase = {
  name: "kernels",
  title: "Hot loops over 4 MiB, from memory to memory",
  async run(scale) {
    const bytes = BLOCK * Math.max(1, Math.round(BLOCKS * scale));
    const notes = new Set<string>();
    const integers = stridedIntegers(bytes / 4);
    const elements = new Uint8Array(integers.buffer);
    const transposed = transposedChunks(elements);
    const text = textBytes(bytes);
    const tasks: KernelTask[] = [
      await checksumTask(randomBytes(bytes), BLOCK, notes),
      ...(await lz4Tasks("8 KiB of transposed int32", transposed, CHUNK, notes)),
      ...(await lz4Tasks("256 KiB of transposed int32", transposed, BLOCK, notes)),
      ...(await lz4Tasks("256 KiB of text", text, BLOCK, notes)),
      ...(await snappyTasks("256 KiB of text", text, BLOCK, notes)),
      ...transposeTasks(elements),
    ];
    const rows: BenchRow[] = [];
    const goals: BenchGoal[] = [];
    for (const task of tasks) {
      const told = await measureKernel(task, scale);
      rows.push(...told.rows);
      goals.push(...told.goals);
    }
    return { unit: "GB/s", peer: "cfile, portable", rows, goals, notes: [...notes] };
  },
};
