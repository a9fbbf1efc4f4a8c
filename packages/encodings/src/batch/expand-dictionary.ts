/** Expands codewords to their strings, in Arrow's layout. */
import { type BlockMemory, freshMemory, getBit } from "@cfile/bytes";
import { type CodedRows, type DecodedStrings, portableDecoders } from "@cfile/kernels";
import { DEFAULT_MAX_DECODED_BYTES, type DecodeContext } from "../codecs/block-codec.js";
import { aboveLimit, DECODED } from "../types/checks.js";
import { badCode, MAX_BINARY_BYTES } from "./binary-values.js";
import { ArrayBatch, BinaryBatch, type ColumnBatch, type DictionaryBatch } from "./column-batch.js";
import { copyRange } from "./copy-range.js";

type ExpandContext = Pick<DecodeContext, "kernels" | "maxDecodedBytes" | "memory">;

/**
 * {@link expandDictionary} for batches of codes, or of arrays of codes; returns other batches unchanged.
 *
 * @throws {CFileError} as {@link expandDictionary}
 */
export function expandDictionaries(batch: ColumnBatch, context: ExpandContext = {}): ColumnBatch {
  if (batch.kind === "array" && batch.child.kind === "dictionary") {
    return new ArrayBatch(batch, batch.offsets, expandDictionary(batch.child, context));
  }
  return batch.kind === "dictionary" ? expandDictionary(batch, context) : batch;
}

/**
 * The same rows as strings; empty strings for nulls.
 *
 * @param context `maxDecodedBytes` bounds the strings' bytes, since every code can stand for a long word. Default 256 MiB; never
 *   more than 2 GiB
 * @throws {CFileError} `E_LIMIT` when the strings are longer; `E_CORRUPT` for a code outside the dictionary
 */
export function expandDictionary(batch: DictionaryBatch, context: ExpandContext = {}): BinaryBatch {
  const { maxDecodedBytes = DEFAULT_MAX_DECODED_BYTES, memory = freshMemory } = context;
  const gather = (context.kernels ?? portableDecoders).dictionaryGather(gatherWords);
  const strings = gather(batch, Math.min(maxDecodedBytes, MAX_BINARY_BYTES), memory);
  return new BinaryBatch(batch, strings.offsets, strings.data);
}

function gatherWords(rows: CodedRows, maxBytes: number, memory: BlockMemory): DecodedStrings {
  const { codes, dictionary, length } = rows;
  const offsets = new Int32Array(memory.take(4 * (length + 1)), 0, length + 1);
  measureWords(rows, maxBytes, offsets);
  const size = offsets[length] as number;
  const data = new Uint8Array(memory.take(size), 0, size);
  for (let i = 0; i < length; i++) {
    const to = offsets[i] as number;
    const from = dictionary.offsets[codes[i] as number] as number;
    copyRange(dictionary.data, from, from + (offsets[i + 1] as number) - to, data, to);
  }
  return { offsets, data };
}

/** Computes where the string of each row starts. */
function measureWords(rows: CodedRows, maxBytes: number, offsets: Int32Array): void {
  const { codes, dictionary, length, validity } = rows;
  const words = dictionary.offsets;
  let end = 0;
  offsets[0] = 0;
  for (let i = 0; i < length; i++) {
    if (validity === undefined || getBit(validity, i)) {
      const code = (codes[i] as number) >>> 0;
      if (code >= dictionary.length) {
        throw badCode(`row ${i}`, code, dictionary.length);
      }
      end += (words[code + 1] as number) - (words[code] as number);
      if (end > maxBytes) {
        throw aboveLimit("values", end, maxBytes, undefined, DECODED);
      }
    }
    offsets[i + 1] = end;
  }
}
