import { toHex } from "@cfile/bytes";
import { flipBit, listGolden, pathToGolden, randomNumbers, readGolden } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { openParquet, type ParquetKeys, type ParquetScanOptions } from "../src/index.js";
import { type NestedValue, scanNested } from "../src/nested.js";
import { recoverParquet } from "../src/recover.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const FOOTER = bytes("0123456789012345");
const ID = bytes("1234567890123450");
const NAME = bytes("123456789012345678901234");
const TAGS = bytes("12345678901234567890123456789012");

const KEYS: Readonly<Record<string, ParquetKeys>> = {
  "java-uniform": { footerKey: FOOTER },
  "java-columns": { footerKey: FOOTER, columnKeys: { id: toHex(ID), "tags.list.element": TAGS } },
  "java-plain-footer-ctr": { footerKey: FOOTER, columnKeys: { id: ID, name: NAME } },
  "java-aad": { footerKey: TAGS, columnKeys: { id: ID }, aadPrefix: "table one" },
  duckdb: { footerKey: FOOTER },
};

const golden = (name: string): Uint8Array<ArrayBuffer> => readGolden(`parquet-encrypted/${name}.parquet`);

/** Row `i` according to the README of the fixtures. */
function rowOf(i: number, name: string): NestedValue[] {
  const common = [BigInt(3 * i), i % 7 === 0 ? null : `name ${(i * 31) % 1000}`, i / 8];
  const count = Array.from({ length: i % 4 }, (_, j) => j);
  return name === "duckdb"
    ? [...common, count.map(BigInt)]
    : [...common, i % 5 === 0 ? null : count.map((j) => (j === 1 ? null : `t${j}`)), i % 10];
}

async function rowsOf(
  input: Uint8Array | string,
  keys: ParquetKeys,
  options: ParquetScanOptions = {},
): Promise<NestedValue[][]> {
  await using file = await openParquet(input, { keys });
  const rows: NestedValue[][] = [];
  for await (const { columns, length } of scanNested(file, options)) {
    const cells: NestedValue[][] = columns.map((column) => column.toArray());
    rows.push(...Array.from({ length }, (_, row) => cells.map((column) => column[row] ?? null)));
  }
  return rows;
}

describe("encrypted files", () => {
  it.each(Object.entries(KEYS))("%s: is read with its keys", async (name, keys) => {
    const rows = await rowsOf(golden(name), keys);
    expect(rows).toEqual(rows.map((_, i) => rowOf(i, name)));
    expect(rows.length).toBe(name === "duckdb" ? 5000 : 1000);
    await using file = await openParquet(golden(name), { keys });
    expect(await file.verify()).toMatchObject({ ok: true, losses: [] });
  });

  it.each(Object.entries(KEYS))(
    "%s: is searched by encrypted indexes and Bloom filters",
    async (name, keys) => {
      for (const value of [600n, 601n, 2997n, -3n]) {
        const where = { column: "id", op: "=", value } as const;
        const expected = value % 3n === 0n && value >= 0n ? [rowOf(Number(value / 3n), name)] : [];
        expect(await rowsOf(golden(name), keys, { where })).toEqual(expected);
      }
      const where = { column: "name", op: "=", value: "name 961" } as const;
      const found = await rowsOf(golden(name), keys, { where, columns: ["name"] });
      expect(found).toEqual(found.map(() => ["name 961"]));
      expect(await rowsOf(golden(name), keys, { where, columns: ["name"], useStatistics: false })).toEqual(
        found,
      );
    },
  );

  it.each(Object.entries(KEYS))("%s: is refused with a wrong key", async (name, keys) => {
    const wrong = { ...keys, footerKey: bytes("0123456789012346") };
    await expect(rowsOf(golden(name), wrong)).rejects.toMatchObject({
      name: "CFileError",
      code: "E_CHECKSUM",
    });
    if (keys.columnKeys !== undefined) {
      const columnKeys = { ...keys.columnKeys, id: FOOTER };
      await expect(rowsOf(golden(name), { ...keys, columnKeys })).rejects.toMatchObject({
        code: "E_CHECKSUM",
      });
    }
  });

  it("need an AAD prefix that is not stored", async () => {
    const { footerKey, columnKeys } = KEYS["java-aad"] ?? {};
    const file = golden("java-aad");
    await expect(rowsOf(file, { footerKey, columnKeys })).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    await expect(rowsOf(file, { footerKey, columnKeys, aadPrefix: "table two" })).rejects.toMatchObject({
      code: "E_CHECKSUM",
    });
  });

  it("are refused without the footer's key, or read without columns whose key is missing", async () => {
    await expect(openParquet(golden("java-uniform"))).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    await using plain = await openParquet(golden("java-plain-footer-ctr"));
    expect(plain.columns.map(({ name }) => name)).toEqual(["amount", "tags", "open"]);
    expect(plain.refused.map(({ name, reason }) => [name, reason])).toEqual([
      ["id", "encrypted, and its key is not given"],
      ["name", "encrypted, and its key is not given"],
    ]);
    await using columns = await openParquet(golden("java-columns"), { keys: { footerKey: FOOTER } });
    expect(columns.columns.map(({ name }) => name)).toEqual(["name", "amount", "open"]);
    const footerOnly = { footerKey: FOOTER };
    const [name, amount, , open] = rowOf(1, "java-columns").slice(1);
    const rows = await rowsOf(golden("java-columns"), footerOnly, { limit: 2 });
    expect(rows[1]).toEqual([name, amount, open]);
    await expect(rowsOf(golden("java-columns"), footerOnly, { columns: ["tags"] })).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      field: "tags",
    });
  });

  it("refuse keys that are not AES keys", async () => {
    await expect(rowsOf(golden("java-uniform"), { footerKey: bytes("short") })).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
  });

  it("never give another value when a bit of an authenticated page flips", async () => {
    const random = randomNumbers(7);
    const file = golden("java-uniform");
    const keys = { footerKey: FOOTER };
    for (let round = 0; round < 40; round++) {
      const damaged = flipBit(file, 8 * (4 + random(file.length - 4)) + random(8));
      const rows = await rowsOf(damaged, keys).catch((error) => error);
      if (Array.isArray(rows)) {
        expect(rows).toEqual(rows.map((_, i) => rowOf(i, "java-uniform")));
      } else {
        expect(rows).toMatchObject({ name: "CFileError" });
      }
    }
  });

  it("are recovered as far as their pages are whole", async () => {
    const file = golden("java-uniform");
    await using whole = await openParquet(file, { keys: { footerKey: FOOTER } });
    const chunk = whole.metadata.row_groups[0]?.columns[2]?.meta_data;
    const damaged = flipBit(file, 8 * (Number(chunk?.data_page_offset) + 200));
    await using recovered = await recoverParquet(damaged, { keys: { footerKey: FOOTER } });
    expect(recovered.columns.map(({ name, rowsLost }) => [name, rowsLost > 0])).toEqual([
      ["id", false],
      ["name", false],
      ["amount", true],
      ["tags", false],
      ["open", false],
    ]);
  });
});

describe("encrypted files of apache/parquet-testing", () => {
  const text = (digits: string): Uint8Array => bytes(digits);
  const long = (last: number): string => `1234567890123456789012345678901${last}`;
  const SHORT_KEYS: Readonly<Record<string, string>> = {
    kf: "0123456789012345",
    kc1: "1234567890123450",
    kc2: "1234567890123451",
  };
  const LONG_KEYS: Readonly<Record<string, string>> = {
    kf: "01234567890123456789012345678901",
    ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`kc${i + 1}`, long(i + 2)])),
  };
  const keysOf = (known: Readonly<Record<string, string>>): ParquetKeys => ({
    aadPrefix: undefined,
    keyOf: (metadata) => {
      const key = known[new TextDecoder().decode(metadata)];
      return key === undefined ? undefined : text(key);
    },
  });
  const files = ["data", "data/aes256"].flatMap((folder) =>
    listGolden(`parquet-testing/${folder}`, ".parquet.encrypted").map((name) => `${folder}/${name}`),
  );

  it.each(files.filter((name) => !name.includes("external")))("%s: is read", async (name) => {
    const keys = {
      ...keysOf(name.includes("aes256") ? LONG_KEYS : SHORT_KEYS),
      ...(name.includes("aad") && { aadPrefix: "tester" }),
    };
    const rows = await rowsOf(pathToGolden(`parquet-testing/${name}.parquet.encrypted`), keys);
    const isFilter = name.includes("bloom_filter");
    expect(rows).toHaveLength(isFilter ? 2000 : 50);
    if (!isFilter) {
      // boolean, int32, int64 list, INT96, float, double, bytes, fixed bytes
      expect(rows.map((row) => row[1])).toEqual(rows.map((_, i) => i));
      expect(rows.map((row) => row[2])).toEqual(
        rows.map((_, i) => [BigInt(2 * i) * 10n ** 12n, BigInt(2 * i + 1) * 10n ** 12n]),
      );
      expect(rows.map((row) => row[4])).toEqual(rows.map((_, i) => Math.fround(i * Math.fround(1.1))));
    }
  });

  it("external_key_material_java: names what is missing", async () => {
    const path = pathToGolden("parquet-testing/data/external_key_material_java.parquet.encrypted");
    const asked: string[] = [];
    const keyOf = (metadata: Uint8Array): undefined => {
      asked.push(new TextDecoder().decode(metadata));
    };
    await expect(openParquet(path, { keys: { keyOf } })).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      field: "footer key",
    });
    expect(asked.join()).toContain('"keyReference":"footerKey"');
  });
});
