/** Codewords to the strings they stand for, in Arrow's layout. */
import { CFileError, corrupt, freshMemory, getBit } from "@cfile/bytes";
import { DEFAULT_MAX_DECODED_BYTES, type DecodeContext } from "../codecs/block-codec.js";
import { MAX_BINARY_BYTES } from "./binary-values.js";
import { ArrayBatch, BinaryBatch, type ColumnBatch, type DictionaryBatch } from "./column-batch.js";
import { copyRange } from "./copy-range.js";

type ExpandContext = Pick<DecodeContext, "kernels" | "maxDecodedBytes" | "memory">;

/** {@link expandDictionary} of batches that are, or whose elements are, codes; others are left as they are. */
export function expandDictionaries(batch: ColumnBatch, context: ExpandContext = {}): ColumnBatch {
  if (batch.kind === "array" && batch.child.kind === "dictionary") {
    return new ArrayBatch(batch, batch.offsets, expandDictionary(batch.child, context));
  }
  return batch.kind === "dictionary" ? expandDictionary(batch, context) : batch;
}

/**
 * The same rows with their strings; empty ones under null.
 *
 * @param context `maxDecodedBytes` bounds the strings' bytes: a long word may be meant by every code. Default 256 MiB; never
 *   more than 2 GiB
 * @throws CFileError `E_LIMIT` when the strings are longer; `E_CORRUPT` for a code outside the dictionary
 */
export function expandDictionary(batch: DictionaryBatch, context: ExpandContext = {}): BinaryBatch {
  const { codes, dictionary, nullCount } = batch;
  const { kernels, maxDecodedBytes = DEFAULT_MAX_DECODED_BYTES, memory = freshMemory } = context;
  const most = Math.min(maxDecodedBytes, MAX_BINARY_BYTES);
  if (nullCount === 0) {
    const { data, offsets } = dictionary;
    const strings = kernels?.dictionaryGather(codes, offsets, data, most, memory);
    if (strings !== undefined) {
      return new BinaryBatch(batch, strings.offsets, strings.data);
    }
  }
  const offsets = new Int32Array(memory.take(4 * (batch.length + 1)), 0, batch.length + 1);
  offsetsOf(batch, most, offsets);
  const length = offsets[batch.length] as number;
  const data = new Uint8Array(memory.take(length), 0, length);
  for (let i = 0; i < batch.length; i++) {
    const to = offsets[i] as number;
    const from = dictionary.offsets[codes[i] as number] as number;
    copyRange(dictionary.data, from, from + (offsets[i + 1] as number) - to, data, to);
  }
  return new BinaryBatch(batch, offsets, data);
}

function offsetsOf(batch: DictionaryBatch, most: number, offsets: Int32Array): void {
  const { codes, dictionary, length, validity } = batch;
  const words = dictionary.offsets;
  let end = 0;
  offsets[0] = 0;
  for (let i = 0; i < length; i++) {
    if (validity === undefined || getBit(validity, i)) {
      const code = codes[i] as number;
      if (code >>> 0 >= dictionary.length) {
        throw corrupt(`row ${i} has codeword ${code >>> 0}, the dictionary has ${dictionary.length} words`, {
          field: "codeword",
          expected: dictionary.length,
          actual: code >>> 0,
        });
      }
      end += (words[code + 1] as number) - (words[code] as number);
      if (end > most) {
        throw new CFileError("E_LIMIT", `strings up to row ${i} take more than ${most} bytes`, {
          field: "values",
          expected: most,
        });
      }
    }
    offsets[i + 1] = end;
  }
}
