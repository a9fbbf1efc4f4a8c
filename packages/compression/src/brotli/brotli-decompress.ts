/**
 * Brotli streams (RFC 7932), decompressed into memory of a known size: the output itself is the window, and no other memory is
 * allocated for it.
 *
 * | bits, from the lowest one of each byte | meaning |
 * | --- | --- |
 * | 1, 4 or 7 | size of the window |
 * | per meta-block: 1; 1 | whether it is the last; then: whether it is empty |
 * | 2 | number of nibbles of the length: 4, 5, 6; 3 stands for bytes to skip |
 * | 4 per nibble | length - 1 |
 * | 1 | unless it is the last: whether its bytes follow uncompressed |
 * | … | block types, distance parameters, context maps, prefix codes, commands |
 *
 * A command copies literals to the output, then earlier output or a word of the dictionary.
 */
import { copyMatch } from "../sequence-copy.js";
import { BrotliBits } from "./brotli-bits.js";
import { BlockTypes } from "./brotli-block-types.js";
import { type ContextMap, LITERAL_CONTEXTS, readContextMap } from "./brotli-contexts.js";
import type { BrotliDictionary } from "./brotli-dictionary.js";
import { type PrefixCode, readPrefixCode } from "./brotli-prefix-code.js";

/** Number of literals by code, without the extra bits, and the number of extra bits. */
const INSERTS = [
  0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 18, 26, 34, 50, 66, 98, 130, 194, 322, 578, 1090, 2114, 6210, 22594,
] as const;
const INSERT_BITS = [0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12, 14, 24] as const;
/** The same for the number of bytes to copy. */
const COPIES = [
  2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 18, 22, 30, 38, 54, 70, 102, 134, 198, 326, 582, 1094, 2118,
] as const;
const COPY_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 24] as const;
/** First codes of both lengths for each group of 64 command symbols; the first two groups repeat the last distance. */
const FIRST_INSERT = [0, 0, 0, 0, 8, 8, 0, 16, 8, 16, 16] as const;
const FIRST_COPY = [0, 8, 0, 8, 0, 8, 16, 0, 16, 8, 16] as const;
const COMMANDS = 704;
const REPEATS_DISTANCE = 128;
/** For the first distance symbols: index among the last distances, 0 for the last one, and the number added to it. */
const RECENT = [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1] as const;
const ADDED = [0, 0, 0, 0, -1, 1, -2, 2, -3, 3, -1, 1, -2, 2, -3, 3] as const;

/**
 * Decompresses a stream to the start of `output`.
 *
 * @returns the number of bytes it expands to
 * @throws {CFileError} `E_TRUNCATED` when the stream ends early; `E_CORRUPT` when it is malformed, expands to more bytes, or is followed
 *   by other bytes
 */
export function brotliDecompress(
  input: Uint8Array,
  output: Uint8Array,
  dictionary: BrotliDictionary,
): number {
  const bits = new BrotliBits(input);
  return new BrotliDecoder(bits, output, dictionary).run();
}

class BrotliDecoder {
  private readonly bits: BrotliBits;
  private readonly output: Uint8Array;
  private readonly view: DataView;
  private readonly dictionary: BrotliDictionary;
  private readonly window: number;
  private position = 0;
  /** The last four distances, most recent first. */
  private distances: readonly number[] = [4, 11, 15, 16];

  constructor(bits: BrotliBits, output: Uint8Array, dictionary: BrotliDictionary) {
    this.bits = bits;
    this.output = output;
    this.view = new DataView(output.buffer, output.byteOffset, output.length);
    this.dictionary = dictionary;
    this.window = (1 << readWindowBits(bits)) - 16;
  }

  run(): number {
    const { bits } = this;
    for (let isLast = false; !isLast; ) {
      isLast = bits.read(1) === 1;
      if (isLast && bits.read(1) === 1) {
        break;
      }
      const nibbles = bits.read(2) + 4;
      if (nibbles === 7) {
        this.skipBytes();
      } else {
        this.readMetaBlock(nibbles, isLast);
      }
    }
    bits.align();
    if (!bits.isAtEnd) {
      throw bits.malformed("bytes after the end");
    }
    return this.position;
  }

  private skipBytes(): void {
    const { bits } = this;
    const isReserved = bits.read(1) === 1;
    const width = bits.read(2);
    const length = width === 0 ? 0 : bits.read(8 * width) + 1;
    if (isReserved || (width > 1 && length <= 2 ** (8 * (width - 1)))) {
      throw bits.malformed("number of bytes to skip");
    }
    bits.align();
    bits.take(length);
  }

  private readMetaBlock(nibbles: number, isLast: boolean): void {
    const { bits, output, position } = this;
    const length = bits.read(4 * nibbles) + 1;
    const end = position + length;
    if ((nibbles > 4 && length <= 2 ** (4 * (nibbles - 1))) || end > output.length) {
      throw bits.malformed("length of a meta-block", { expected: output.length - position, actual: length });
    }
    if (!isLast && bits.read(1) === 1) {
      bits.align();
      output.set(bits.take(length), position);
      this.position = end;
    } else {
      this.runCommands(new MetaBlock(bits), end);
    }
  }

  private runCommands(block: MetaBlock, end: number): void {
    const { bits } = this;
    while (this.position < end) {
      block.commands.next(bits);
      const command = (block.commandCodes[block.commands.type] as PrefixCode).read(bits);
      const cell = command >>> 6;
      const insert = (FIRST_INSERT[cell] as number) + ((command >>> 3) & 7);
      const copy = (FIRST_COPY[cell] as number) + (command & 7);
      const literals = (INSERTS[insert] as number) + bits.read(INSERT_BITS[insert] as number);
      const length = (COPIES[copy] as number) + bits.read(COPY_BITS[copy] as number);
      if (literals > end - this.position) {
        throw bits.malformed("number of literals", { expected: end - this.position, actual: literals });
      }
      this.copyLiterals(block, literals);
      if (this.position < end) {
        this.copy(
          command < REPEATS_DISTANCE ? 0 : block.readDistanceSymbol(bits, length),
          block,
          length,
          end,
        );
      }
    }
  }

  private copyLiterals({ literals, modes, literalMap, literalCodes }: MetaBlock, count: number): void {
    const { bits, output } = this;
    const end = this.position + count;
    let last = output[this.position - 1] ?? 0;
    let before = output[this.position - 2] ?? 0;
    let contexts = (modes[literals.type] as number) * 512;
    for (let at = this.position; at < end; at++) {
      if (literals.next(bits)) {
        contexts = (modes[literals.type] as number) * 512;
      }
      const context =
        (LITERAL_CONTEXTS[contexts + last] as number) | (LITERAL_CONTEXTS[contexts + 256 + before] as number);
      const tree = literalMap.map[64 * literals.type + context] as number;
      before = last;
      last = (literalCodes[tree] as PrefixCode).read(bits);
      output[at] = last;
    }
    this.position = end;
  }

  /** Copies earlier output, or a word. @param symbol of the distance */
  private copy(symbol: number, block: MetaBlock, length: number, end: number): void {
    const { bits, dictionary, output, position, view } = this;
    const distance =
      symbol < ADDED.length
        ? (this.distances[RECENT[symbol] as number] as number) + (ADDED[symbol] as number)
        : block.readDistance(bits, symbol);
    const furthest = Math.min(this.window, position);
    if (distance > furthest) {
      const to = dictionary.append(length, distance - furthest - 1, output.subarray(0, end), position);
      if (to === undefined || to > end) {
        throw bits.malformed("word of the dictionary", { actual: distance });
      }
      this.position = to;
      return;
    }
    if (distance <= 0 || length > end - position) {
      throw bits.malformed(`copy of ${length} bytes at distance ${distance}`, { expected: end - position });
    }
    if (symbol > 0) {
      this.distances = [distance, ...this.distances.slice(0, 3)];
    }
    copyMatch(output, view, position, distance, length);
    this.position = position + length;
  }
}

/** The codes and context maps of a meta-block. */
class MetaBlock {
  readonly literals: BlockTypes;
  readonly commands: BlockTypes;
  /** Context mode of literals, by block type. */
  readonly modes: readonly number[];
  readonly literalMap: ContextMap;
  readonly literalCodes: readonly PrefixCode[];
  readonly commandCodes: readonly PrefixCode[];
  private readonly distances: BlockTypes;
  private readonly postfixBits: number;
  private readonly directDistances: number;
  private readonly distanceMap: ContextMap;
  private readonly distanceCodes: readonly PrefixCode[];

  constructor(bits: BrotliBits) {
    const codes = (count: number, symbols: number): PrefixCode[] =>
      Array.from({ length: count }, () => readPrefixCode(bits, symbols));
    this.literals = new BlockTypes(bits);
    this.commands = new BlockTypes(bits);
    this.distances = new BlockTypes(bits);
    this.postfixBits = bits.read(2);
    this.directDistances = bits.read(4) << this.postfixBits;
    this.modes = Array.from({ length: this.literals.types }, () => bits.read(2));
    this.literalMap = readContextMap(bits, 64 * this.literals.types);
    this.distanceMap = readContextMap(bits, 4 * this.distances.types);
    this.literalCodes = codes(this.literalMap.trees, 256);
    this.commandCodes = codes(this.commands.types, COMMANDS);
    const symbols = ADDED.length + this.directDistances + (48 << this.postfixBits);
    this.distanceCodes = codes(this.distanceMap.trees, symbols);
  }

  /** @param length of the copy, which is the context */
  readDistanceSymbol(bits: BrotliBits, length: number): number {
    this.distances.next(bits);
    const context = Math.min(length - 2, 3);
    const tree = this.distanceMap.map[4 * this.distances.type + context] as number;
    return (this.distanceCodes[tree] as PrefixCode).read(bits);
  }

  /** The distance of a symbol that is not relative to earlier distances. */
  readDistance(bits: BrotliBits, symbol: number): number {
    const { directDistances, postfixBits } = this;
    const code = symbol - ADDED.length - directDistances;
    if (code < 0) {
      return symbol - ADDED.length + 1;
    }
    const width = 1 + (code >>> (postfixBits + 1));
    const start = ((2 + ((code >>> postfixBits) & 1)) << width) - 4;
    const postfix = code & ((1 << postfixBits) - 1);
    return ((start + bits.read(width)) << postfixBits) + postfix + directDistances + 1;
  }
}

/** @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT` */
function readWindowBits(bits: BrotliBits): number {
  if (bits.read(1) === 0) {
    return 16;
  }
  const large = bits.read(3);
  if (large > 0) {
    return 17 + large;
  }
  const small = bits.read(3);
  if (small === 1) {
    throw bits.malformed("size of the window");
  }
  return small === 0 ? 17 : 8 + small;
}
