/**
 * The chunk stream of a bitshuffle block (docs/spec/cfile.md#58-bitshuffle), read chunk by chunk:
 *
 * | part of a chunk | width | content |
 * | --- | --- | --- |
 * | length | 4 | u32be, number of bytes that follow |
 * | data | length | LZ4 block of the chunk's transposed elements |
 *
 * All chunks but the last are full. The number of chunks is not stored: it follows from the number of elements.
 */
import { type BlockMemory, ByteReader, corrupt, invalidArgument } from "@cfile/bytes";
import { lz4DecompressBlock } from "@cfile/compression/lz4";
import type { BitshuffleDecoder, DecodedCodes, ShuffledElements } from "@cfile/kernels";
import {
  bitUntranspose,
  CHUNK_BYTES,
  requireElementSize,
  requireRoom,
  requireWholeGroups,
} from "./bit-transpose.js";

const LENGTH_WORD = 4;

/** One byte of an LZ4 block stands for at most this many bytes of output. */
const MAX_EXPANSION = 255;

let transposed: Uint8Array | undefined;

/**
 * The number of elements in a full chunk of 8192 bytes.
 *
 * @param elementSize in bytes: 1, 2, 4, 8 or 16
 * @throws {CFileError} `E_INVALID_ARGUMENT` for any other element size
 */
export function chunkElements(elementSize: number): number {
  requireElementSize(elementSize);
  return CHUNK_BYTES / elementSize;
}

/** The chunks in a range of bytes. Opening checks their lengths; decoding checks their content. */
export class ChunkStream implements ShuffledElements {
  /** Number of chunks. */
  readonly chunkCount: number;
  /** Elements per chunk; the last chunk may hold fewer. */
  readonly chunkElements: number;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly elementSize: number;
  readonly count: number;
  /** Start of each chunk's LZ4 block, then the start that one more chunk would have. */
  private readonly starts: Float64Array;

  /**
   * Opens `bytes[start..end)`, which must hold exactly the chunks of `count` elements.
   *
   * @param elementSize in bytes: 1, 2, 4, 8 or 16
   * @param count elements, padding included: a multiple of 8, at most 2^32
   * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED`, with an offset in `bytes`, when there are too few or too many bytes
   *   for that many elements; `E_INVALID_ARGUMENT` for an invalid size, count or range
   */
  constructor(bytes: Uint8Array, start: number, end: number, elementSize: number, count: number) {
    this.chunkElements = chunkElements(elementSize);
    requireWholeGroups(count);
    requireRoom(bytes, start, end - start, "chunk stream");
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.elementSize = elementSize;
    this.count = count;
    this.chunkCount = Math.ceil(count / this.chunkElements);
    const expected = this.chunkCount * LENGTH_WORD + Math.ceil((count * elementSize) / MAX_EXPANSION);
    const actual = end - start;
    if (expected > actual) {
      const reason = `chunk stream too short for ${count} elements (expected at least ${expected} bytes, found ${actual})`;
      throw corrupt(reason, { offset: start, field: "padded count", expected, actual });
    }
    const starts = new Float64Array(this.chunkCount + 1);
    const reader = new ByteReader(bytes, start, end);
    for (let i = 0; i < this.chunkCount; i++) {
      const length = reader.u32be("chunk length");
      starts[i] = reader.position;
      reader.skip(length, "chunk");
    }
    const { position: offset, remaining } = reader;
    if (remaining !== 0) {
      const details = { offset, field: "chunk stream", expected: 0, actual: remaining };
      throw corrupt(`${remaining} unexpected bytes after the last chunk`, details);
    }
    starts[this.chunkCount] = end + LENGTH_WORD;
    this.starts = starts;
  }

  /**
   * The number of elements in chunk `index`, `0 <= index < chunkCount`.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` when there is no such chunk
   */
  elementsIn(index: number): number {
    if (!(Number.isInteger(index) && index >= 0 && index < this.chunkCount)) {
      const reason = `invalid chunk index: ${index} (the stream has ${this.chunkCount} chunks)`;
      throw invalidArgument(reason, { field: "chunk" });
    }
    return Math.min(this.chunkElements, this.count - index * this.chunkElements);
  }

  /**
   * A stream of only chunk `index`, `0 <= index < chunkCount`, for a {@link BitshuffleDecoder}.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` when there is no such chunk
   */
  chunk(index: number): ChunkStream {
    const elements = this.elementsIn(index);
    const from = (this.starts[index] as number) - LENGTH_WORD;
    const to = (this.starts[index + 1] as number) - LENGTH_WORD;
    return new ChunkStream(this.bytes, from, to, this.elementSize, elements);
  }

  /**
   * Writes the elements of chunk `index` to `output`, starting at byte `outputStart`.
   *
   * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` for a bad LZ4 block or one of the wrong size, with an offset in the
   *   bytes of the stream; `E_INVALID_ARGUMENT` when there is no such chunk or no room for it
   */
  decodeChunk(index: number, output: Uint8Array, outputStart: number): void {
    const elements = this.elementsIn(index);
    const size = elements * this.elementSize;
    requireRoom(output, outputStart, size, "elements");
    transposed ??= new Uint8Array(CHUNK_BYTES);
    const from = this.starts[index] as number;
    const to = (this.starts[index + 1] as number) - LENGTH_WORD;
    const rows = size === CHUNK_BYTES ? transposed : transposed.subarray(0, size);
    lz4DecompressBlock(this.bytes, from, to, rows);
    bitUntranspose(rows, output.subarray(outputStart), this.elementSize, elements);
  }

  /**
   * Writes all elements to `output`.
   *
   * @throws {CFileError} like {@link ChunkStream.decodeChunk}
   */
  decodeChunks(output: Uint8Array): void {
    requireRoom(output, 0, this.count * this.elementSize, "elements");
    for (let i = 0; i < this.chunkCount; i++) {
      this.decodeChunk(i, output, i * CHUNK_BYTES);
    }
  }

  /**
   * Decodes all elements, of 1, 2 or 4 bytes, to 32-bit words.
   *
   * @throws {CFileError} like {@link ChunkStream.decodeChunk}
   */
  decodeWords(memory: BlockMemory): DecodedCodes {
    const { chunkCount, chunkElements: step, count, elementSize } = this;
    const codes = new Uint32Array(memory.take(4 * count), 0, count);
    const narrow = elementSize === 1 ? new Uint8Array(step) : new Uint16Array(step);
    const output = new Uint8Array(elementSize === 4 ? codes.buffer : narrow.buffer);
    let largest = 0;
    for (let chunk = 0; chunk < chunkCount; chunk++) {
      // Each chunk is widened and scanned for its maximum while it is in the processor's cache.
      const from = chunk * step;
      const to = from + this.elementsIn(chunk);
      this.decodeChunk(chunk, output, elementSize === 4 ? chunk * CHUNK_BYTES : 0);
      if (elementSize < 4) {
        codes.set(narrow.subarray(0, to - from), from);
      }
      largest = Math.max(largest, largestWord(codes, from, to));
    }
    return { codes: new Int32Array(codes.buffer, 0, count), largest };
  }
}

/** Not a method: the engine discards the optimized code of methods when their objects are collected. */
function largestWord(words: Uint32Array, from: number, to: number): number {
  let largest = 0;
  for (let i = from; i < to; i++) {
    const word = words[i] as number;
    if (word > largest) {
      largest = word;
    }
  }
  return largest;
}

/** The portable decoder of whole streams. */
export const portableBitshuffle: BitshuffleDecoder = {
  decodeAll: (stream, output) => stream.decodeChunks(output),
  decodeWords: (stream, memory) => stream.decodeWords(memory),
};
