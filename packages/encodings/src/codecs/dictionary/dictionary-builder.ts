import type { WordStrings, WordTable } from "@cfile/kernels/rows";
import { binaryValues, misplacedValue } from "../../batch/binary-values.js";
import type { BinaryVector, Vector } from "../../types/vector.js";
import { BitshuffleBuilder } from "../bitshuffle/bitshuffle-builder.js";
import type { BlockBuilder, BlockBuilderOptions, DictionaryBlockBuilder } from "../block-codec.js";
import { PlainBinaryBuilder } from "../plain/plain-binary-builder.js";
import { MODE_CODES, MODE_LENGTH, MODE_PLAIN } from "./dictionary-block.js";
import { DictionaryWords } from "./dictionary-words.js";

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
