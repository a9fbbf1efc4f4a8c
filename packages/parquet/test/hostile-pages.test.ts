/** Files without a footer and with forged page headers: impossible sizes, pages inside pages, lost dictionaries. */

import { gzipSync } from "node:zlib";
import { concatBytes } from "@cfile/bytes";
import { memorySink } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { parseMessageType, type RebuiltParquet, rebuildParquet } from "../src/recover.js";
import { rowTexts } from "./rebuilt-rows.js";

const MAGIC = new TextEncoder().encode("PAR1");
const PLAIN = 0;
const CODES = 8;

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}

/** A Thrift integer with its field header. */
const field = (value: number): number[] => [0x15, ...varint(2 * value)];

interface Stated {
  readonly uncompressed?: number;
  readonly stored?: number;
  readonly values: number;
  readonly encoding?: number;
}

/** A page v1 without CRC, or a dictionary; its sizes are those of the body unless stated. */
function page(kind: "data" | "dictionary", body: Uint8Array, stated: Stated): Uint8Array {
  const { uncompressed = body.length, stored = body.length, values, encoding = PLAIN } = stated;
  const isData = kind === "data";
  const details = [...field(values), ...field(encoding), ...(isData ? [...field(3), ...field(3)] : [])];
  const head = [...field(isData ? 0 : 2), ...field(uncompressed), ...field(stored)];
  return concatBytes([Uint8Array.of(...head, isData ? 0x2c : 0x4c, ...details, 0, 0), body]);
}

const int32s = (...values: readonly number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer);

async function rebuilt(
  pages: readonly Uint8Array[],
  columns = "required int32 a;",
): Promise<{ readonly rows: string[]; readonly ledger: RebuiltParquet }> {
  const sink = memorySink();
  const schema = parseMessageType(`message t { ${columns} }`);
  const ledger = await rebuildParquet(concatBytes([MAGIC, ...pages]), sink, { schema });
  return { rows: await rowTexts(sink.bytes()), ledger };
}

const GOOD = page("data", int32s(1, 2), { values: 2 });
const GOOD_ROWS = ["|01000000", "|02000000"];

describe("a page header", () => {
  it.each([
    ["of more bytes than a page may have", { uncompressed: 2 ** 31 - 1, values: 2 ** 28 }, int32s(7)],
    ["of more values than its bytes can be", { uncompressed: 4, values: 2 ** 27 }, int32s(7)],
    ["of a compressed bomb", { uncompressed: 2 ** 25, values: 2 }, gzipSync(new Uint8Array(2 ** 25))],
    [
      "of a compressed page that expands to more",
      { uncompressed: 8, values: 2 },
      gzipSync(new Uint8Array(2 ** 25)),
    ],
    ["of a page that ends after the file", { stored: 1000, values: 250 }, int32s(7)],
  ])("%s loses its page alone", async (_, stated, body) => {
    const start = performance.now();
    const bad = page("data", body, stated);
    const { rows, ledger } = await rebuilt([GOOD, bad, GOOD]);
    expect(rows.filter((row) => !GOOD_ROWS.includes(row))).toEqual([]);
    expect(rows.slice(0, 2)).toEqual(GOOD_ROWS);
    expect(ledger.ok).toBe(false);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it("whose size reaches into the next page does not make values of its bytes", async () => {
    const inner = page("data", int32s(5, 6), { values: 2 });
    const outer = page("data", int32s(3, 4), { values: 2, stored: 8 + inner.length - 8 });
    const { rows } = await rebuilt([GOOD, outer, inner, GOOD]);
    expect(rows.filter((row) => ![...GOOD_ROWS, "|05000000", "|06000000"].includes(row))).toEqual([]);
    expect(rows.slice(0, 2)).toEqual(GOOD_ROWS);
  });
});

describe("a dictionary that is missing", () => {
  const COLUMNS = "required int32 a; required int64 b;";
  const others = page("data", new Uint8Array(BigInt64Array.of(1n, 2n).buffer), { values: 2 });
  const codes = page("data", Uint8Array.of(1, 3, 0b10), { values: 2, encoding: CODES });

  it("loses the codes that need it, and names why", async () => {
    const words = page("dictionary", int32s(10, 20), { values: 2 });
    const whole = await rebuilt([words, codes, others], COLUMNS);
    expect(whole.rows).toEqual(["|0a000000|0100000000000000", "|14000000|0200000000000000"]);
    const { rows, ledger } = await rebuilt([codes, others], COLUMNS);
    expect(rows).toEqual([]);
    expect(ledger.losses.map(({ part, reason }) => `${part}: ${reason}`)).toContain(
      "page: the dictionary is lost",
    );
  });
});
