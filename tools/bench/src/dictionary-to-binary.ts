/** Dictionary strings expanded to Arrow's layout, as somebody who needs their bytes would do it. */
import type { BinaryVector, DictionaryBatch } from "@cfile/encodings";

export function dictionaryToBinary({ codes, dictionary, length }: DictionaryBatch): BinaryVector {
  const words = dictionary.offsets;
  const offsets = new Int32Array(length + 1);
  let end = 0;
  for (let i = 0; i < length; i++) {
    const code = codes[i] as number;
    end += (words[code + 1] as number) - (words[code] as number);
    offsets[i + 1] = end;
  }
  const data = new Uint8Array(end);
  let to = 0;
  for (let i = 0; i < length; i++) {
    const code = codes[i] as number;
    const stop = words[code + 1] as number;
    for (let from = words[code] as number; from < stop; from++) {
      data[to++] = dictionary.data[from] as number;
    }
  }
  return { kind: "binary", length, offsets, data };
}
