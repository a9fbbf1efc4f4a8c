/**
 * Bit transposition alone, in the chunks of bitshuffle blocks, and the chunk streams of such blocks, including
 * LZ4.
 */

import {
  bitTranspose,
  bitUntranspose,
  ChunkStream,
  chunkElements,
  portableBitshuffle,
} from "@cfile/bitshuffle";
import { portableShuffle } from "@cfile/bitshuffle/encode";
import { ByteBuilder } from "@cfile/bytes";
import { type Kernels, portableKernels } from "@cfile/kernels";
import { chooseKernels } from "@cfile/kernels/encode";
import { atLeast } from "../bench-case.js";
import { randomBytes } from "../data/data.js";
import { arePieces, type KernelTask, PORTABLE, SIMD } from "../kernel-task.js";
import { type Contender, contender } from "../measure.js";

const ELEMENT_SIZES = [1, 2, 4, 8, 16];
const INT32 = 4;
const BLOCK = 256 * 1024;
/** Goal, times the portable code. */
const GOAL = 2.5;

type Transposition = typeof bitTranspose;

function inChunks(transpose: Transposition, input: Uint8Array, output: Uint8Array, size: number): Uint8Array {
  const step = chunkElements(size) * size;
  for (let at = 0; at < input.length; at += step) {
    transpose(input.subarray(at), output.subarray(at), size, Math.min(step, input.length - at) / size);
  }
  return output;
}

/** Transposes int32 elements in the chunks of a bitshuffle block. */
export function transposedChunks(elements: Uint8Array): Uint8Array {
  return inChunks(bitTranspose, elements, new Uint8Array(elements.length), INT32);
}

/** Streams of real data, and transposition alone, of blocks of random bytes, for every size. */
export function transposeTasks(integers: Uint8Array): KernelTask[] {
  const blocks = Math.ceil(integers.length / BLOCK);
  const random = randomBytes(BLOCK);
  return [...streamTasks(integers), ...ELEMENT_SIZES.flatMap((size) => aloneTasks(random, size, blocks))];
}

function streamTasks(elements: Uint8Array): KernelTask[] {
  const simd = chooseKernels("simd");
  const count = elements.length / INT32;
  const encode = (kernels: Kernels): Uint8Array => {
    const out = new ByteBuilder(elements.length);
    kernels.bitshuffleEncode(portableShuffle).encode(elements, INT32, count, out);
    return out.finish();
  };
  const stream = encode(portableKernels);
  const output = new Uint8Array(elements.length);
  const decode = (kernels: Kernels): Uint8Array => {
    const chunks = new ChunkStream(stream, 0, stream.length, INT32, count);
    kernels.bitshuffleDecode(portableBitshuffle).decodeAll(chunks, output);
    return output;
  };
  const name = "bitshuffle block of int32, with LZ4";
  return [
    taskOf(`${name}, decode`, elements, decode, simd),
    { ...taskOf(`${name}, encode`, stream, encode, simd), bytes: elements.length },
  ];
}

/** One block repeatedly, because in readers a block is also already in the processor's caches when it is transposed. */
function aloneTasks(block: Uint8Array, size: number, times: number): KernelTask[] {
  const simd = chooseKernels("simd");
  const rows = inChunks(bitTranspose, block, new Uint8Array(block.length), size);
  const output = new Uint8Array(block.length);
  const often = (transpose: Transposition, input: Uint8Array): Uint8Array => {
    for (let i = 0; i < times; i++) {
      inChunks(transpose, input, output, size);
    }
    return output;
  };
  const encode = (kernels: Kernels): Uint8Array => often(kernels.bitTranspose(bitTranspose), block);
  const decode = (kernels: Kernels): Uint8Array => often(kernels.bitUntranspose(bitUntranspose), rows);
  const name = `bit transposition, 256 KiB of ${size}-byte elements`;
  return [taskOf(`${name}, decode`, block, decode, simd), taskOf(`${name}, encode`, rows, encode, simd)].map(
    (task) => ({
      ...task,
      bytes: times * block.length,
      goals: (rateOf: (contender: string) => number) => [
        atLeast(`${task.name}, at ${PORTABLE}'s rate, times`, GOAL, rateOf(SIMD) / rateOf(PORTABLE)),
      ],
    }),
  );
}

/** The same task with portable code and with kernels; both must return `result`. */
function taskOf(
  name: string,
  result: Uint8Array,
  run: (kernels: Kernels) => Uint8Array,
  simd: Kernels,
): KernelTask {
  const isResult = (found: Uint8Array): boolean => arePieces([found], result);
  const contenders: Contender<never>[] = [
    contender(PORTABLE, () => run(portableKernels), isResult),
    contender(SIMD, () => run(simd), isResult),
  ];
  return { name, bytes: result.length, contenders, expected: true };
}
