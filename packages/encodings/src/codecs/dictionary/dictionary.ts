/**
 * Dictionary blocks (docs/spec/cfile.md#56-dictionary).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 4 | u32le mode: 1 = codes, 2 = plain |
 * | 4 | rest | mode 1: bitshuffle block of UINT32 codes; mode 2: plain binary block |
 *
 * A code is an index into the file's one dictionary: a plain binary block of words in the order of first use.
 */
import { ByteReader, corrupt } from "@cfile/bytes";
import type { WordStrings, WordTable } from "@cfile/kernels/rows";
import { binaryValues, misplacedValue } from "../../batch/binary-values.js";
import { seekBytes } from "../../keys/seek-target.js";
import { type BinaryVector, bytesOf, type DictionaryVector, type Vector } from "../../types/vector.js";
import {
  type BitshuffleBlock,
  BitshuffleBuilder,
  openBitshuffleBlock,
} from "../bitshuffle/bitshuffle-block.js";
import type {
  BlockBuilder,
  BlockBuilderOptions,
  BlockDecoder,
  DecodeContext,
  DictionaryBlockBuilder,
  SeekPosition,
  SeekTarget,
} from "../block-codec.js";
import { openPlainBinaryBlock } from "../plain/plain-binary-block.js";
import { PlainBinaryBuilder } from "../plain/plain-binary-builder.js";
import { DictionaryWords } from "./dictionary-words.js";

const MODE_LENGTH = 4;
const MODE_CODES = 1;
const MODE_PLAIN = 2;

/** For fewer strings the table is not worth its memory. */
const FEWEST_FOR_TABLE = 64;
const ANY_SIZE = 0xffffffff;

interface LookedUp {
  readonly taken: number;
  /** Whether nothing more can be taken. */
  readonly isFull: boolean;
}

const NOT_LOOKED_UP: LookedUp = { taken: 0, isFull: false };

/**
 * A builder of dictionary blocks. Once the dictionary is larger than the block size, all further blocks are plain.
 *
 * The builder remembers how the codes of a dictionary vector map to its own: the content of a `dictionary` object
 * must not change while the builder is in use.
 */
export function createDictionaryBuilder(options: BlockBuilderOptions): DictionaryBlockBuilder {
  return new DictionaryBuilder(options);
}

class DictionaryBuilder implements DictionaryBlockBuilder {
  private readonly options: BlockBuilderOptions;
  private readonly words: DictionaryWords;
  private readonly codes: BitshuffleBuilder;
  /** Takes over from `codes` when the dictionary is full. */
  private plain: PlainBinaryBuilder | undefined;
  private readonly remap = new CodeRemap();
  /** Knows the words too, once there was a batch worth it. */
  private table: WordTable | undefined;
  private scratch = new Uint32Array(0);

  constructor(options: BlockBuilderOptions) {
    // All blocks are put together from parts: none gives its memory.
    this.options = { ...options, tail: undefined };
    this.words = new DictionaryWords(this.options);
    this.codes = new BitshuffleBuilder("UINT32", this.options);
  }

  private get current(): BlockBuilder {
    return this.plain ?? this.codes;
  }

  get count(): number {
    return this.current.count;
  }

  get full(): boolean {
    return this.current.full || (this.plain === undefined && this.words.full);
  }

  /** @throws CFileError `E_INVALID_ARGUMENT` for anything but strings, `E_LIMIT` above 2 GiB of words */
  add(vector: Vector, from: number, to: number, whole = false): number {
    if (this.plain !== undefined) {
      return this.plain.add(vector, from, to, whole);
    }
    const { codes, offsets, data } = binaryValues(vector, from, to);
    const known = vector.kind === "dictionary" ? this.remap.of(vector.dictionary) : undefined;
    const room = whole ? to - from : Math.min(to - from, this.codes.room);
    const scratch = this.scratchOf(room);
    const found = codes === undefined ? this.lookUp({ offsets, data }, from, to, room, whole) : NOT_LOOKED_UP;
    let { taken } = found;
    if (found.isFull || from + taken === to) {
      return this.codes.addValues(scratch, 0, taken, whole);
    }
    this.words.index();
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    for (let i = from + taken; i < to; i++) {
      if (codes !== undefined && known !== undefined) {
        const run = copyKnownCodes(codes, i, Math.min(to, i + room - taken), known, scratch, taken);
        taken += run;
        i += run;
        if (i === to) {
          break;
        }
      }
      const index = codes === undefined ? i : (codes[i] as number);
      let code = known === undefined ? -1 : (known[index] ?? -1);
      if (code < 0) {
        const start = offsets[index] as number;
        const end = offsets[index + 1] as number;
        if (!(start >= 0 && start <= end && end <= data.length)) {
          throw misplacedValue(i);
        }
        code = this.words.find(view, start, end);
        if (code < 0) {
          if (this.words.full && !whole) {
            break;
          }
          code = this.words.add(data, start, end);
        }
        if (known !== undefined) {
          known[index] = code;
        }
      }
      // A new word enters the dictionary even when there is no room left for its code.
      if (taken === room) {
        break;
      }
      scratch[taken++] = code;
    }
    return this.codes.addValues(scratch, 0, taken, whole);
  }

  /** Puts codes of as many strings to the scratch as the table finds. */
  private lookUp(strings: WordStrings, from: number, to: number, room: number, whole: boolean): LookedUp {
    if (to - from < FEWEST_FOR_TABLE) {
      return NOT_LOOKED_UP;
    }
    this.table ??= this.options.kernels?.wordTable();
    const { scratch, table, words } = this;
    const { data, offsets } = strings;
    let taken = 0;
    let isFull = false;
    while (table !== undefined && !isFull && from + taken < to) {
      const start = from + taken;
      const held = words.held();
      const found = table.findCodes(
        strings,
        start,
        to,
        room - taken,
        whole ? { ...held, blockSize: ANY_SIZE } : held,
      );
      if (found === undefined) {
        break;
      }
      for (const position of found.fresh) {
        words.append(data, offsets[start + position] as number, offsets[start + position + 1] as number);
      }
      scratch.set(found.codes, taken);
      taken += found.codes.length;
      isFull = found.isFull;
    }
    return { taken, isFull };
  }

  private releaseTable(): void {
    this.table?.release();
    this.table = undefined;
  }

  /** Units matter only in the block in which the dictionary becomes full. */
  unitFree(vector: Vector, from: number, to: number): number {
    if (this.plain !== undefined) {
      return to - from;
    }
    let length = to - from;
    while (length > 0 && !this.surelyTakes(vector, from, from + length)) {
      length >>>= 1;
    }
    return length;
  }

  private surelyTakes(vector: Vector, from: number, to: number): boolean {
    const { codes, offsets } = binaryValues(vector, from, to);
    const words = offsets.length - 1;
    if (codes !== undefined && words <= to - from) {
      return this.words.surelyTakes(words, (offsets[words] as number) - (offsets[0] as number));
    }
    if (codes === undefined) {
      return this.words.surelyTakes(to - from, (offsets[to] as number) - (offsets[from] as number));
    }
    let bytes = 0;
    for (let i = from; i < to; i++) {
      const code = codes[i] as number;
      bytes += (offsets[code + 1] as number) - (offsets[code] as number);
    }
    return this.words.surelyTakes(to - from, bytes);
  }

  finish(ordinal: number): Uint8Array {
    const encoded = this.current.finish(ordinal);
    const block = new Uint8Array(MODE_LENGTH + encoded.length);
    block[0] = this.plain === undefined ? MODE_CODES : MODE_PLAIN;
    block.set(encoded, MODE_LENGTH);
    if (this.plain === undefined && this.words.full) {
      this.plain = new PlainBinaryBuilder(this.options);
      this.remap.forget();
      this.releaseTable();
    }
    return block;
  }

  finishDictionary(): Uint8Array {
    this.remap.forget();
    this.releaseTable();
    return this.words.finish();
  }

  private scratchOf(length: number): Uint32Array {
    if (this.scratch.length < length) {
      this.scratch = new Uint32Array(length);
    }
    return this.scratch;
  }
}

/** Own code by the code of a foreign dictionary, -1 where it is not known yet. Remembers one dictionary. */
class CodeRemap {
  private dictionary: BinaryVector | undefined;
  private codes = new Int32Array(0);

  of(dictionary: BinaryVector): Int32Array {
    if (dictionary !== this.dictionary) {
      this.dictionary = dictionary;
      this.codes = new Int32Array(dictionary.length).fill(-1);
    }
    return this.codes;
  }

  forget(): void {
    this.dictionary = undefined;
    this.codes = new Int32Array(0);
  }
}

/**
 * The words of a dictionary block, by codeword.
 *
 * @throws CFileError `E_TRUNCATED` or `E_CORRUPT` for malformed bytes
 */
export function openDictionaryWords(
  bytes: Uint8Array,
  { kernels }: Pick<DecodeContext, "kernels"> = {},
): BinaryVector {
  const block = openPlainBinaryBlock(bytes, 0, { kernels });
  return block.decode(0, block.count);
}

/**
 * Opens a dictionary block. In code mode it decodes to dictionary vectors over `context.dictionary`, in plain mode
 * to binary vectors.
 *
 * @throws CFileError `E_TRUNCATED` or `E_CORRUPT` for malformed bytes, or when the block needs a dictionary and
 *   there is none
 */
export function openDictionaryBlock(bytes: Uint8Array, context: DecodeContext = {}): BlockDecoder {
  const mode = new ByteReader(bytes).u32le("mode");
  if (mode === MODE_PLAIN) {
    return openPlainBinaryBlock(bytes, MODE_LENGTH, context);
  }
  if (mode !== MODE_CODES) {
    throw corrupt(`mode ${mode} of a dictionary block; 1 (codes) and 2 (plain) exist`, {
      offset: 0,
      field: "mode",
      actual: mode,
    });
  }
  if (context.dictionary === undefined) {
    throw corrupt("a block of codes without a dictionary", { offset: 0, field: "dictionary" });
  }
  return new CodeBlock(bytes, context.dictionary, context);
}

class CodeBlock implements BlockDecoder {
  readonly ordinal: number;
  readonly count: number;
  private readonly codes: BitshuffleBlock;
  private readonly dictionary: BinaryVector;

  constructor(bytes: Uint8Array, dictionary: BinaryVector, context: DecodeContext) {
    this.codes = openBitshuffleBlock("UINT32", bytes, MODE_LENGTH, context);
    this.ordinal = this.codes.ordinal;
    this.count = this.codes.count;
    this.dictionary = dictionary;
  }

  decode(from: number, to: number): DictionaryVector {
    const length = to - from;
    const codes = this.codesOf(from, to);
    return { kind: "dictionary", length, codes, dictionary: this.dictionary };
  }

  check(): void {
    this.codes.check();
    this.codesOf(0, this.count);
  }

  /** Compares words, not codes: right for ascending values whatever the order of the dictionary. */
  seek(target: SeekTarget): SeekPosition {
    return seekBytes(this.dictionary, this.count, target, (i) => this.codesOf(i, i + 1)[0] as number);
  }

  private codesOf(from: number, to: number): Int32Array {
    const bytes = bytesOf(this.codes.decode(from, to).values);
    const codes = new Int32Array(bytes.buffer, bytes.byteOffset, to - from);
    const words = this.dictionary.length;
    const { largest } = this.codes;
    if (largest !== undefined && largest < words) {
      return codes;
    }
    if (!areBelow(codes, words)) {
      const value = codes.findIndex((code) => code >>> 0 >= words);
      const code = (codes[value] as number) >>> 0;
      throw corrupt(`value ${from + value} has codeword ${code}, the dictionary has ${words} words`, {
        offset: MODE_LENGTH,
        field: "codeword",
        expected: words,
        actual: code,
      });
    }
    return codes;
  }
}

/**
 * Translates `codes[from..to)` into `target`, up to the first that `known` has no translation for; returns how many.
 */
function copyKnownCodes(
  codes: Int32Array,
  from: number,
  to: number,
  known: Int32Array,
  target: Uint32Array,
  start: number,
): number {
  let i = from;
  for (; i < to; i++) {
    const code = known[codes[i] as number] ?? -1;
    if (code < 0) {
      break;
    }
    target[start + i - from] = code;
  }
  return i - from;
}

/** Whether all codes are from 0 to `words - 1`; without a branch for each code. */
function areBelow(codes: Int32Array, words: number): boolean {
  const last = words - 1;
  let outside = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number;
    outside |= code | (last - code);
  }
  return outside >= 0;
}
