/** In a recovered chunk, dictionary codes never follow plain pages, because Spark 4.0 would read wrong strings. */
import { type BinaryBatch, DictionaryBatch } from "@cfile/encodings";
import { batchFromValues, sliceTable } from "@cfile/encodings/batches";
import { memorySink } from "@cfile/io";
import { expect, it } from "vitest";
import { openParquet } from "../src/index.js";
import { rebuildParquet } from "../src/recover.js";
import { exportParquet } from "../src/write.js";

const ROWS = 30_000;
const WORDS = Array.from({ length: 11 }, (_, i) => `word ${i}`);

/** A column of codes next to one with longer strings, whose pages have fewer rows. */
async function codedFile(): Promise<Uint8Array> {
  const { offsets, data } = batchFromValues({ type: "STRING" }, WORDS) as BinaryBatch;
  const dictionary = { kind: "binary", length: WORDS.length, offsets, data } as const;
  const codes = Int32Array.from({ length: ROWS }, (_, i) => i % WORDS.length);
  const words = new DictionaryBatch(
    { type: "STRING", length: ROWS, firstRow: 0, validity: undefined, nullCount: 0 },
    codes,
    dictionary,
  );
  const texts = Array.from({ length: ROWS }, (_, i) => `${i} ${"x".repeat(120)}`);
  const text = batchFromValues({ type: "STRING" }, texts);
  const columns = ["word", "text"].map(
    (name) => ({ name, type: "STRING", nullable: false, array: false }) as const,
  );
  async function* rows() {
    const all = { length: ROWS, firstRow: 0, names: ["word", "text"], columns: [words, text] };
    for (let from = 0; from < ROWS; from += 5000) {
      yield sliceTable(all, from, from + 5000);
    }
  }
  const sink = memorySink();
  await exportParquet(sink, { columns, rows: rows() }, { codec: "UNCOMPRESSED" });
  return sink.bytes();
}

it("rewrites parts of coded pages as codes, and counts each page once", async () => {
  const whole = await codedFile();
  await using file = await openParquet(whole);
  const text = file.metadata.row_groups[0]?.columns[1]?.meta_data;
  // Within a page of "text" that ends before the first page of "word" does.
  const damaged = whole.slice(0, whole.length - 20);
  damaged.fill(0xff, Number(text?.data_page_offset) + 1000, Number(text?.data_page_offset) + 1010);
  const sink = memorySink();
  const ledger = await rebuildParquet(damaged, sink, { like: whole });
  expect(ledger).toMatchObject({ pagesLost: 1, pagesRewritten: 1 });
  await using rebuilt = await openParquet(sink.bytes());
  const kinds = new Set<string>();
  let count = 0;
  for await (const { columns } of rebuilt.scan()) {
    const texts = columns[1]?.toArray() ?? [];
    kinds.add(columns[0]?.kind ?? "");
    count += texts.length;
    expect(columns[0]?.toArray()).toEqual(
      texts.map((one) => WORDS[Number.parseInt(String(one), 10) % WORDS.length]),
    );
  }
  expect(count).toBe(ledger.rows);
  expect(kinds).toEqual(new Set(["dictionary"]));
});
