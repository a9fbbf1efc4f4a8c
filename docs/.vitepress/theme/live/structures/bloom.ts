/** A block of a Bloom file, and lookups in it. */
import { parseBloomBlock } from "@cfile/bloomfile";
import { annotateBloomBlock } from "@cfile/format/blocks";
import type { Structure } from "../reading.js";

/** `keys` are text, separated by spaces. */
export const bloom: Structure = {
  note: (bytes) => annotateBloomBlock(bytes),
  read: (bytes, { keys }) => {
    const filter = parseBloomBlock(bytes);
    const text = new TextEncoder();
    return [
      `${filter.bitCount} bits, ${filter.hashCount} of them for each key`,
      ...String(keys ?? "")
        .split(" ")
        .map((key) => `${key}: ${filter.mayContain(text.encode(key)) ? "maybe" : "absent"}`),
    ];
  },
};
