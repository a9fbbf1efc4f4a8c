/** Pages cut anywhere become pages of whole rows, with as few lost rows as the damage allows. */
import { CFileError } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DataPage } from "../src/pages/data-page.js";
import { expandCodes, type LeafValues } from "../src/pages/leaf-values.js";
import type { PageVisit } from "../src/read/page-decoder.js";
import { type RowPage, rowPages } from "../src/read/row-pages.js";
import { type Leaf, leavesOf } from "../src/schema/leaf-schema.js";

const leafOf = (repetition_type: "REPEATED" | "REQUIRED"): Leaf =>
  leavesOf([
    { name: "root", num_children: 1 },
    { name: "c", type: "INT32", repetition_type },
  ])[0] as Leaf;
const LIST = leafOf("REPEATED");
const FLAT = leafOf("REQUIRED");

/** The levels of one value or of an empty row. */
interface Entry {
  readonly row: number;
  readonly repetition: number;
  readonly value: number | undefined;
}

function entriesOf(rows: readonly (readonly number[])[]): Entry[] {
  return rows.flatMap((values, row): Entry[] =>
    values.length === 0
      ? [{ row, repetition: 0, value: undefined }]
      : values.map((value, i) => ({ row, repetition: i === 0 ? 0 : 1, value })),
  );
}

const WORDS: LeafValues = {
  ...{ kind: "fixed", width: 4, length: 2 },
  bytes: new Uint8Array(Int32Array.of(0, 1).buffer),
};
const OTHER_WORDS: LeafValues = { ...WORDS };

type Form = (values: readonly number[], page: number) => LeafValues;

/** Values of 0 and 1, in each format of pages. */
const FORMS: Readonly<Record<string, Form>> = {
  fixed: ({ length, ...values }) => ({
    ...{ kind: "fixed", length, width: 4 },
    bytes: new Uint8Array(Int32Array.from(Object.values(values)).buffer),
  }),
  bool: (values) => ({
    ...{ kind: "bool", length: values.length },
    bits: Uint8Array.from({ length: Math.ceil(values.length / 8) }, (_, byte) =>
      values.slice(8 * byte, 8 * byte + 8).reduce((bits, value, i) => bits | (value << i), 0),
    ),
  }),
  binary: (values) => ({
    ...{ kind: "binary", length: values.length },
    offsets: Int32Array.from([0, ...values.map((_, i) => i + 1)]),
    data: Uint8Array.from(values),
  }),
  codes: (values) => ({
    ...{ kind: "codes", length: values.length, codes: Int32Array.from(values), words: WORDS },
  }),
  "codes of two dictionaries": (values, page) => ({
    ...{ kind: "codes", length: values.length, codes: Int32Array.from(values) },
    words: page % 2 === 0 ? WORDS : OTHER_WORDS,
  }),
  "codes, then plain values": (values, page) =>
    (FORMS[page % 2 === 0 ? "codes" : "fixed"] as Form)(values, page),
};

function numbersOf(values: LeafValues): number[] {
  const plain = expandCodes(values);
  return Array.from({ length: plain.length }, (_, i) =>
    plain.kind === "bool"
      ? ((plain.bits[i >> 3] as number) >> (i & 7)) & 1
      : plain.kind === "fixed"
        ? (plain.bytes[4 * i] as number)
        : (plain.data[plain.offsets[i] as number] as number),
  );
}

function rowsOfPage({ length, definitions, repetitions, values }: DataPage): number[][] {
  const numbers = numbersOf(values);
  const rows: number[][] = [];
  for (let i = 0, next = 0; i < length; i++) {
    if (repetitions?.[i] === 0) {
      rows.push([]);
    }
    if (definitions?.[i] === 1) {
      rows.at(-1)?.push(numbers[next++] as number);
    }
  }
  expect(numbers.length).toBe(rows.flat().length);
  return rows;
}

type Lost = "kept" | "counted" | "uncounted";

function visitOf(entries: readonly Entry[], page: number, lost: Lost, form: string): PageVisit {
  const values = entries.flatMap(({ value }) => value ?? []);
  const data: DataPage = {
    length: entries.length,
    repetitions: Uint8Array.from(entries, ({ repetition }) => repetition),
    definitions: Uint8Array.from(entries, ({ value }) => (value === undefined ? 0 : 1)),
    values: (FORMS[form] as Form)(values, page),
  };
  const isKept = lost === "kept";
  return {
    ...{ kind: "data", page, offset: page, valueCount: entries.length, firstRow: undefined, crc: "absent" },
    rowCount: lost === "counted" ? entries.filter(({ repetition }) => repetition === 0).length : undefined,
    data: isKept ? data : undefined,
    error: isKept ? undefined : new CFileError("E_CHECKSUM", "damaged"),
  };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void, void> {
  yield* items;
}

async function collected(
  visits: readonly PageVisit[],
  leaf = LIST,
  maxElements?: number,
): Promise<RowPage[]> {
  const found: RowPage[] = [];
  for await (const page of rowPages(each(visits), leaf, maxElements)) {
    found.push(page);
  }
  return found;
}

const anyRows = fc.array(fc.array(fc.nat(1), { maxLength: 5 }), { minLength: 1, maxLength: 12 });
const anyCuts = fc.array(fc.nat(40), { maxLength: 8 });

function pagesOf(entries: readonly Entry[], cuts: readonly number[]): Entry[][] {
  const ends = [...new Set([...cuts.filter((cut) => cut > 0 && cut < entries.length), entries.length])];
  ends.sort((a, b) => a - b);
  return ends.map((end, i) => entries.slice(ends[i - 1] ?? 0, end));
}

describe("rows that span pages", () => {
  it.each(Object.keys(FORMS))("are joined: %s", async (form) => {
    await fc.assert(
      fc.asyncProperty(anyRows, anyCuts, async (rows, cuts) => {
        const pages = pagesOf(entriesOf(rows), cuts);
        const found = await collected(pages.map((page, i) => visitOf(page, i, "kept", form)));
        expect(found.flatMap(({ data }) => (data === undefined ? [] : rowsOfPage(data)))).toEqual(rows);
        expect(found.every(({ lostRows }) => lostRows === 0)).toBe(true);
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it("are kept beside lost pages, if all of their pages are", async () => {
    const anyLosses = fc.array(fc.constantFrom<Lost>("kept", "kept", "uncounted"), {
      minLength: 9,
      maxLength: 9,
    });
    await fc.assert(
      fc.asyncProperty(anyRows, anyCuts, anyLosses, async (rows, cuts, losses) => {
        const pages = pagesOf(entriesOf(rows), cuts);
        const isLost = (page: number): boolean => losses[page] !== "kept";
        const found = await collected(pages.map((page, i) => visitOf(page, i, losses[i] ?? "kept", "codes")));
        // A row that ends right before a lost page may continue in it.
        const gone = new Set(
          pages.flatMap((page, i) =>
            isLost(i) ? [...page.map(({ row }) => row), pages[i - 1]?.at(-1)?.row ?? -1] : [],
          ),
        );
        const kept = rows.filter((_, row) => !gone.has(row));
        expect(found.flatMap(({ data }) => (data === undefined ? [] : rowsOfPage(data)))).toEqual(kept);
        expect(found.filter(({ data }) => data === undefined).map(({ lostRows }) => lostRows)).toEqual(
          pages.flatMap((_, i) => (isLost(i) ? ["rest"] : [])),
        );
      }),
      { seed: 5, numRuns: 500 },
    );
  });

  it("end before a lost page that states its rows", async () => {
    const pages = pagesOf(entriesOf([[0], [1, 0], [1], [0, 0]]), [3, 4]);
    const visits = pages.map((page, i) => visitOf(page, i, i === 1 ? "counted" : "kept", "fixed"));
    const found = await collected(visits);
    expect(found.map(({ data, lostRows }) => (data === undefined ? lostRows : rowsOfPage(data)))).toEqual([
      [[0], [1, 0]],
      1,
      [[0, 0]],
    ]);
  });

  it("have bounded memory", async () => {
    const pages = pagesOf(entriesOf([[0, 1, 0, 1, 0, 1, 0, 1], [1]]), [2, 4, 6]);
    const visits = pages.map((page, i) => visitOf(page, i, "kept", "fixed"));
    expect(await collected(visits, LIST, 8)).toHaveLength(1);
    await expect(collected(visits, LIST, 7)).rejects.toMatchObject({ code: "E_LIMIT", field: "array" });
  });
});

describe("pages of single values", () => {
  it("stay as they are; dictionaries have no rows", async () => {
    const data: DataPage = {
      ...{ length: 2, repetitions: undefined, definitions: undefined },
      values: (FORMS["fixed"] as Form)([1, 0], 0),
    };
    const visit: PageVisit = {
      ...{ kind: "data", page: 0, offset: 4, valueCount: 2, rowCount: undefined, firstRow: 7, crc: "absent" },
      ...{ data, error: undefined },
    };
    const lost: PageVisit = { ...visit, data: undefined };
    const visits: PageVisit[] = [{ ...lost, kind: "dictionary" }, visit, lost, { ...lost, kind: "rest" }];
    expect(await collected(visits, FLAT)).toEqual([
      { data, firstRow: 7, lostRows: 0 },
      { data: undefined, firstRow: 7, lostRows: 2 },
      { data: undefined, firstRow: 7, lostRows: "rest" },
    ]);
  });
});
