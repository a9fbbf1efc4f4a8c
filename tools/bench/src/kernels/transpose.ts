/**
 * Bit transposition, alone and in the chunk streams of bitshuffle blocks. The SIMD kernels have it together with LZ4 only, so
 * their rate of transposition is measured on elements all alike, of which LZ4 makes next to nothing: a lower bound.
 */
import { bitTranspose, bitUntranspose, ChunkStream, chunkElements, encodeChunks } from "@cfile/bitshuffle";
import { ByteBuilder } from "@cfile/bytes";
import { simdKernels } from "@cfile/kernels";
import { atLeast } from "../bench-case.js";
import { arePieces, type KernelTask, PORTABLE, SIMD } from "../kernel-task.js";
import { contender } from "../measure.js";

const ELEMENT_SIZES = [1, 2, 4, 8, 16];
const INT32 = 4;
/** GB/s. */
const GOAL = 4;

type Transposition = typeof bitTranspose;

function inChunks(transpose: Transposition, input: Uint8Array, output: Uint8Array, size: number): void {
  const step = chunkElements(size) * size;
  for (let at = 0; at < input.length; at += step) {
    transpose(input, at, output, at, size, Math.min(step, input.length - at) / size);
  }
}

/** int32 elements transposed in the chunks of a bitshuffle block. */
export function transposedChunks(elements: Uint8Array): Uint8Array {
  const output = new Uint8Array(elements.length);
  inChunks(bitTranspose, elements, output, INT32);
  return output;
}

function encode(elements: Uint8Array, size: number): Uint8Array {
  const out = new ByteBuilder(elements.length);
  encodeChunks(elements, size, elements.length / size, out);
  return out.finish();
}

function alike(length: number, size: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    bytes[i] = i % size < size / 2 ? 0xff : 0;
  }
  return bytes;
}

/** Fused streams of real data, and transposition alone for every element size. */
export function transposeTasks(integers: Uint8Array): KernelTask[] {
  const streams = streamTasks("bitshuffle block of int32, with LZ4", integers, INT32, false);
  const alone = ELEMENT_SIZES.flatMap((size) =>
    streamTasks(`bit transposition, ${size}-byte elements`, alike(integers.length, size), size, true),
  );
  return [...streams, ...alone];
}

/** @param alone whether the portable contenders only transpose */
function streamTasks(what: string, elements: Uint8Array, size: number, alone: boolean): KernelTask[] {
  const count = elements.length / size;
  const stream = encode(elements, size);
  const transposed = new Uint8Array(elements.length);
  inChunks(bitTranspose, elements, transposed, size);
  const output = new Uint8Array(elements.length);
  const simd = simdKernels();
  const isElements = (result: Uint8Array): boolean => arePieces([result], elements);
  const isStream = (result: Uint8Array): boolean => arePieces([result], stream);
  const into = (run: () => unknown) => () => {
    run();
    return output;
  };
  const decoders = [
    contender(
      PORTABLE,
      into(
        alone
          ? () => inChunks(bitUntranspose, transposed, output, size)
          : () => new ChunkStream(stream, 0, stream.length, size, count).decodeAll(output, 0),
      ),
      isElements,
    ),
  ];
  const encoders = [
    alone
      ? contender(
          PORTABLE,
          into(() => inChunks(bitTranspose, elements, output, size)),
          (result) => arePieces([result], transposed),
        )
      : contender(PORTABLE, () => encode(elements, size), isStream),
  ];
  if (simd !== undefined) {
    decoders.push(
      contender(
        SIMD,
        into(() => simd.bitshuffleDecode(stream, 0, stream.length, count, size, output, 0)),
        isElements,
      ),
    );
    encoders.push(
      contender(SIMD, () => simd.bitshuffleEncode(elements, count, size) ?? new Uint8Array(), isStream),
    );
  }
  const task = (direction: string, contenders: KernelTask["contenders"]): KernelTask => {
    const name = `${what}, ${direction}`;
    return {
      name,
      bytes: elements.length,
      contenders,
      expected: true,
      ...(alone && {
        goals: (rateOf: (contender: string) => number) => [
          atLeast(`${name}, at least, GB/s`, GOAL, rateOf(SIMD)),
        ],
      }),
    };
  };
  return [task("decode", decoders), task("encode", encoders)];
}
