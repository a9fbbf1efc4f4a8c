/** A Bloom file: its filters as rows, and a search for keys. */
import { openBloomFile } from "@cfile/bloomfile";
import { fromHex } from "@cfile/bytes";
import type { CFileReader } from "@cfile/format";
import { bytesText, countText } from "../cells.js";
import { cfileDoc } from "../cfile/cfile-doc.js";
import { streamedRows } from "../export/streamed-rows.js";
import type { Doc } from "./doc.js";

const NUMBERS = ["Filter", "Hash functions", "Bits", "Bits set", "Estimated keys", "False positives"];

export function bloomDoc(file: CFileReader, title: string): Doc {
  const columns = [
    ...NUMBERS.map((name) => ({ name, type: "", align: "right" as const })),
    { name: "First key, shortened", type: "BINARY", align: "left" as const },
  ];
  const searchHint = "key as text, or 0x and hex digits";
  return {
    ...cfileDoc(file, title, { rowCount: undefined, searchHint, columns }),
    rows: streamedRows<never>(() => filterRows(file)),
    find: async ({ text }, { signal }) => {
      const isHex = /^0x(?:[0-9a-f]{2})*$/i.test(text);
      const key = isHex ? fromHex(text.slice(2)) : new TextEncoder().encode(text);
      const maybe = await (await openBloomFile(file.source)).mayContain(key, { signal });
      return {
        text: maybe
          ? "Possibly in the row set: all bits of the key are set."
          : "Not in the row set: a bit of the key is not set.",
      };
    },
  };
}

async function* filterRows(file: CFileReader): AsyncGenerator<{ rows: string[][] }, void, void> {
  const reader = await openBloomFile(file.source);
  for await (const block of reader.blocks()) {
    const { index, hashCount, bitCount, ones, estimatedKeys, falsePositiveRate, indexKey } = block;
    const row = [
      String(index),
      String(hashCount),
      countText(bitCount),
      `${((100 * ones) / bitCount).toFixed(1)} %`,
      countText(Math.round(estimatedKeys)),
      falsePositiveRate.toExponential(2),
      bytesText(indexKey),
    ];
    yield { rows: [row] };
  }
}
