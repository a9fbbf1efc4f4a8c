/** A Bloom file: its filters as rows, and a probe for keys. */

import { openBloomFile } from "@cfile/bloomfile";
import { toHex } from "@cfile/bytes";
import type { CFileReader } from "@cfile/format";
import type { FoundView, RowsView } from "../../protocol.js";
import { countText } from "../cells.js";
import { CFileDoc } from "../cfile/cfile-doc.js";
import { StreamedRows } from "../export/streamed-rows.js";
import type { Work } from "./doc.js";

export class BloomDoc extends CFileDoc {
  private readonly filters: StreamedRows<never>;

  constructor(file: CFileReader, title: string) {
    const right = ["Filter", "Hash functions", "Bits", "Bits set", "Keys, about", "False positives"];
    super(file, title, {
      rowCount: undefined,
      searchHint: "key as text, or 0x and hex digits: may it be in the row set?",
      columns: [
        ...right.map((name) => ({ name, type: "", align: "right" as const })),
        { name: "First key, cut", type: "BINARY", align: "left" },
      ],
    });
    this.filters = new StreamedRows(() => this.read());
  }

  override rows(from: number, to: number, work: Work): Promise<RowsView> {
    return this.filters.rows(from, to, work, this.view.rowCount);
  }

  override async find(text: string, { signal }: Work): Promise<FoundView> {
    const reader = await openBloomFile(this.file.source);
    const key = /^0x(?:[0-9a-f]{2})*$/i.test(text)
      ? Uint8Array.from(text.slice(2).match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
      : new TextEncoder().encode(text);
    const maybe = await reader.mayContain(key, { signal });
    const answer = maybe
      ? "It may be in the row set: all its bits are set."
      : "It is surely not in the row set.";
    return { row: undefined, exact: maybe, text: answer, touched: [] };
  }

  private async *read(): AsyncGenerator<{ rows: string[][] }, void, void> {
    const reader = await openBloomFile(this.file.source);
    for await (const block of reader.blocks()) {
      const { index, hashCount, bitCount, ones, estimatedKeys, falsePositiveRate, indexKey } = block;
      yield {
        rows: [
          [
            String(index),
            String(hashCount),
            countText(bitCount),
            `${((100 * ones) / bitCount).toFixed(1)} %`,
            countText(Math.round(estimatedKeys)),
            falsePositiveRate.toExponential(2),
            keyText(indexKey),
          ],
        ],
      };
    }
  }
}

function keyText(key: Uint8Array): string {
  const text = new TextDecoder().decode(key);
  return /[\p{Cc}\uFFFD]/u.test(text) ? `0x${toHex(key)}` : text;
}
