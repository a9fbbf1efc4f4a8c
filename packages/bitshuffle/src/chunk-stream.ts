/**
 * The chunk stream of a bitshuffle block (docs/spec/cfile.md#58-bitshuffle), to be read chunk by chunk:
 *
 * | part of a chunk | width | content |
 * | --- | --- | --- |
 * | length | 4 | u32be, bytes that follow |
 * | data | length | LZ4 block of the chunk's transposed elements |
 *
 * Chunks are full but the last one, and end where the stream ends. Nothing says how many there are: it follows from
 * the number of elements.
 */
import { ByteReader, corrupt, invalidArgument } from "@cfile/bytes";
import { lz4DecompressBlock } from "@cfile/compression/lz4";
import type { BitshuffleDecoder, ShuffledElements } from "@cfile/kernels";
import { bitUntranspose, requireRoom } from "./bit-transpose.js";
import { CHUNK_BYTES, chunkElements, requireWholeGroups } from "./chunk-elements.js";

const LENGTH_WORD = 4;

/** No byte of an LZ4 block stands for more bytes of output than this. */
const MOST_EXPANSION = 255;

let transposed: Uint8Array | undefined;

/** The chunks in a range of bytes. Opening checks their lengths; their content is checked when decoded. */
export class ChunkStream implements ShuffledElements {
  /** Number of chunks. */
  readonly chunkCount: number;
  /** Elements of every chunk but the last, which may hold fewer. */
  readonly chunkElements: number;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly elementSize: number;
  readonly count: number;
  /** Start of each chunk's LZ4 block, and where one more would start. */
  private readonly starts: Float64Array;

  /**
   * Opens `bytes[start..end)`, which must hold exactly the chunks of `count` elements.
   *
   * @param elementSize in bytes: 1, 2, 4, 8 or 16
   * @param count elements, padding included: a multiple of 8, at most 2^32
   * @throws CFileError `E_CORRUPT` or `E_TRUNCATED`, with an offset in `bytes`, when there are too few or too many bytes
   *   for that many elements; `E_INVALID_ARGUMENT` for an impossible size, count or range
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
    const leastBytes = this.chunkCount * LENGTH_WORD + Math.ceil((count * elementSize) / MOST_EXPANSION);
    if (leastBytes > end - start) {
      throw corrupt(`${count} elements take ${leastBytes} bytes at least, there are ${end - start}`, {
        offset: start,
        field: "padded count",
        expected: leastBytes,
        actual: end - start,
      });
    }
    const starts = new Float64Array(this.chunkCount + 1);
    const reader = new ByteReader(bytes, start, end);
    for (let i = 0; i < this.chunkCount; i++) {
      const length = reader.u32be("chunk length");
      starts[i] = reader.position;
      reader.skip(length, "chunk");
    }
    if (reader.remaining !== 0) {
      throw corrupt(`${reader.remaining} bytes follow the last chunk`, {
        offset: reader.position,
        field: "chunk stream",
        expected: 0,
        actual: reader.remaining,
      });
    }
    starts[this.chunkCount] = end + LENGTH_WORD;
    this.starts = starts;
  }

  /** Elements of chunk `index`, `0 <= index < chunkCount`; E_INVALID_ARGUMENT for another one. */
  elementsIn(index: number): number {
    if (!(Number.isInteger(index) && index >= 0 && index < this.chunkCount)) {
      throw invalidArgument(`there is no chunk ${index} among ${this.chunkCount}`, { field: "chunk" });
    }
    return Math.min(this.chunkElements, this.count - index * this.chunkElements);
  }

  /**
   * Writes the elements of chunk `index` to `output` from byte `outputStart` on.
   *
   * @throws CFileError `E_CORRUPT` or `E_TRUNCATED` for a bad LZ4 block or one of another size, with an offset in the
   *   bytes of the stream; `E_INVALID_ARGUMENT` when there is no such chunk or no room for it
   */
  decodeChunk(index: number, output: Uint8Array, outputStart: number): void {
    const elements = this.elementsIn(index);
    const size = elements * this.elementSize;
    requireRoom(output, outputStart, size, "elements");
    transposed ??= new Uint8Array(CHUNK_BYTES);
    const from = this.starts[index] as number;
    const to = (this.starts[index + 1] as number) - LENGTH_WORD;
    lz4DecompressBlock(this.bytes, from, to, transposed, 0, size);
    bitUntranspose(transposed, output.subarray(outputStart), this.elementSize, elements);
  }

  /** Writes all elements to `output`, which they must fill. Errors as above. */
  decodeChunks(output: Uint8Array): void {
    requireRoom(output, 0, this.count * this.elementSize, "elements");
    const step = this.chunkElements * this.elementSize;
    for (let i = 0; i < this.chunkCount; i++) {
      this.decodeChunk(i, output, i * step);
    }
  }
}

/** The portable decoder of whole streams. */
export const portableBitshuffle: BitshuffleDecoder = {
  decodeAll: (stream, output) => stream.decodeChunks(output),
  decodeWords(stream, memory) {
    const { count, elementSize } = stream;
    const codes = new Int32Array(memory.take(4 * count), 0, count);
    if (elementSize === 4) {
      stream.decodeChunks(new Uint8Array(codes.buffer, 0, 4 * count));
    } else {
      const narrow = elementSize === 1 ? new Uint8Array(count) : new Uint16Array(count);
      stream.decodeChunks(new Uint8Array(narrow.buffer));
      codes.set(narrow);
    }
    let largest = 0;
    for (let i = 0; i < count; i++) {
      largest = Math.max(largest, (codes[i] as number) >>> 0);
    }
    return { codes, largest };
  },
};
