/** Builder of dictionary blocks (docs/spec/cfile.md#56-dictionary); see `dictionary-block.ts` for their layout. */
import { type CodeTarget, portableEncoders, type WordLookup } from "@cfile/kernels";
import type { BinaryVector, Vector } from "../../types/vector.js";
import { BitshuffleBuilder } from "../bitshuffle/bitshuffle-builder.js";
import type { BlockBuilder, BlockBuilderOptions, DictionaryBlockBuilder } from "../block-codec.js";
import { binaryValues } from "../builder-input.js";
import { PlainBinaryBuilder } from "../plain/plain-binary-builder.js";
import { MODE_CODES, MODE_LENGTH, MODE_PLAIN } from "./dictionary-block.js";
import { DictionaryWords } from "./dictionary-words.js";

/**
 * A builder of dictionary blocks. Once the dictionary is larger than the block size, all further blocks are plain.
 *
 * The builder remembers how the codes of a dictionary vector map to its own, so the content of a `dictionary` object
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
  /** The dictionary whose codes `known` translates. */
  private translated: BinaryVector | undefined;
  /** The builder's code for each code of `translated`; -1 until it is known. */
  private known = new Int32Array(0);
  private readonly lookup: WordLookup;
  private scratch = new Uint32Array(0);
  private readonly found = new Uint32Array(1);

  constructor(options: BlockBuilderOptions) {
    // The parts of a block are copied, so their memory is not handed out.
    this.options = { ...options, tail: undefined };
    this.words = new DictionaryWords(this.options);
    this.lookup = (options.kernels ?? portableEncoders).wordLookup(this.words);
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

  add(vector: Vector, from: number, to: number, whole = false): number {
    if (this.plain !== undefined) {
      return this.plain.add(vector, from, to, whole);
    }
    const { codes, ...strings } = binaryValues(vector, from, to);
    const room = whole ? to - from : Math.min(to - from, this.codes.room);
    if (this.scratch.length < room) {
      this.scratch = new Uint32Array(room);
    }
    const target = { codes: this.scratch, room, isWhole: whole };
    const taken =
      codes === undefined || vector.kind !== "dictionary"
        ? this.lookup.lookUp(strings, from, to, target)
        : this.translate(codes, vector.dictionary, from, to, target);
    return this.codes.addValues(target.codes, 0, taken, whole);
  }

  /** {@link WordLookup.lookUp} for codes of another dictionary; looks up each of its words once. */
  private translate(
    codes: Int32Array,
    dictionary: BinaryVector,
    from: number,
    to: number,
    { codes: target, isWhole, room }: CodeTarget,
  ): number {
    if (dictionary !== this.translated) {
      this.translated = dictionary;
      this.known = new Int32Array(dictionary.length).fill(-1);
    }
    const { known } = this;
    const one = { codes: this.found, isWhole, room: 1 };
    let taken = 0;
    for (let i = from; i < to; ) {
      const next = codes.subarray(i, Math.min(to, i + room - taken));
      taken += copyKnown(next, known, target.subarray(taken));
      i = from + taken;
      if (i === to) {
        break;
      }
      const word = codes[i] as number;
      if ((known[word] ?? -1) < 0) {
        if (this.words.lookUp(dictionary, word, word + 1, one) === 0) {
          break;
        }
        known[word] = this.found[0] as number;
      }
      if (taken === room) {
        break;
      }
    }
    return taken;
  }

  /** Units matter only in the block in which the dictionary becomes full. */
  unitFree(vector: Vector, from: number, to: number): number {
    let length = to - from;
    while (this.plain === undefined && length > 0 && !this.surelyTakes(vector, from, from + length)) {
      length >>>= 1;
    }
    return length;
  }

  private surelyTakes(vector: Vector, from: number, to: number): boolean {
    const { codes, offsets } = binaryValues(vector, from, to);
    const count = to - from;
    const words = offsets.length - 1;
    if (codes === undefined) {
      return this.words.surelyTakes(count, (offsets[to] as number) - (offsets[from] as number));
    }
    if (words <= count) {
      return this.words.surelyTakes(words, (offsets[words] as number) - (offsets[0] as number));
    }
    let bytes = 0;
    for (let i = from; i < to; i++) {
      const code = codes[i] as number;
      bytes += (offsets[code + 1] as number) - (offsets[code] as number);
    }
    return this.words.surelyTakes(count, bytes);
  }

  finish(ordinal: number): Uint8Array {
    const encoded = this.current.finish(ordinal);
    const block = new Uint8Array(MODE_LENGTH + encoded.length);
    block[0] = this.plain === undefined ? MODE_CODES : MODE_PLAIN;
    block.set(encoded, MODE_LENGTH);
    if (this.plain === undefined && this.words.full) {
      this.plain = new PlainBinaryBuilder(this.options);
      this.release();
    }
    return block;
  }

  finishDictionary(): Uint8Array {
    this.release();
    return this.words.finish();
  }

  private release(): void {
    this.translated = undefined;
    this.known = new Int32Array(0);
    this.lookup.release();
  }
}

/**
 * Translates `codes` into `target` up to the first unknown code, and returns the number translated. Not a method: the engine
 * discards the machine code of methods whose objects are gone, and most builders are short-lived.
 */
function copyKnown(codes: Int32Array, known: Int32Array, target: Uint32Array): number {
  let count = 0;
  for (; count < codes.length; count++) {
    const code = known[codes[count] as number] ?? -1;
    if (code < 0) {
      break;
    }
    target[count] = code;
  }
  return count;
}
