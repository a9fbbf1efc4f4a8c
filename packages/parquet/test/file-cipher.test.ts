/** Keys of encrypted files, as named by their crypto metadata, and modules that cannot be decrypted. */
import { concatBytes } from "@cfile/bytes";
import type { ColumnChunk, FileMetaData } from "hyparquet";
import { describe, expect, it } from "vitest";
import { FileCipher, openChunks, type ParquetKeys } from "../src/crypto/file-cipher.js";
import { ModuleCipher } from "../src/crypto/module-cipher.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const KEY = bytes("0123456789012345");
const OTHER = bytes("1234567890123450");
const ID = bytes("file id");
const GCM = { field_1: { field_2: ID } };
const COLUMN_METADATA = 1;

const little = (...values: readonly number[]): number[] =>
  values.flatMap((value) => [value & 0xff, value >>> 8]);

/** A module of AES-GCM whose tag covers `aad`. */
async function moduleOf(content: Uint8Array, key: Uint8Array, aad: readonly (Uint8Array | number[])[]) {
  const iv = Uint8Array.from({ length: 12 }, (_, i) => 3 * i);
  const imported = await crypto.subtle.importKey("raw", Uint8Array.from(key), "AES-GCM", false, ["encrypt"]);
  const additionalData = Uint8Array.from(aad.flatMap((part) => [...part]));
  const algorithm = { name: "AES-GCM", iv, additionalData };
  const cipher = new Uint8Array(await crypto.subtle.encrypt(algorithm, imported, Uint8Array.from(content)));
  return concatBytes([new Uint8Array(Uint32Array.of(iv.length + cipher.length).buffer), iv, cipher]);
}

describe("the keys of a file", () => {
  it.each([{}, { field_3: {} }])("are refused with an unknown algorithm: %j", (algorithm) => {
    expect(() => new FileCipher(algorithm, undefined, {})).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED", field: "encryption algorithm" }),
    );
  });

  it.each<readonly [string, object, ParquetKeys, string]>([
    ["no prefix", { field_2: ID }, {}, ""],
    ["a stored prefix", { field_1: bytes("stored"), field_2: ID }, {}, "stored"],
    ["a given prefix", { field_2: ID, field_3: true }, { aadPrefix: "given" }, "given"],
    ["bytes instead of the stored prefix", { field_1: ID, field_2: ID }, { aadPrefix: bytes("own") }, "own"],
  ])("authenticate %s", async (_, fields, keys, prefix) => {
    for (const algorithm of [{ field_1: fields }, { field_2: fields }]) {
      const cipher = await new FileCipher(algorithm, undefined, { ...keys, footerKey: KEY }).footer();
      const content = bytes("footer");
      const module = await moduleOf(content, KEY, [bytes(prefix), ID, [0]]);
      expect(await cipher?.decrypt(module, "footer")).toEqual(content);
      const other = await moduleOf(content, KEY, [bytes(prefix), ID, [1]]);
      await expect(cipher?.decrypt(other, "footer")).rejects.toMatchObject({ code: "E_CHECKSUM" });
    }
  });

  it("are found by the metadata that the file stores with them", async () => {
    const asked: string[] = [];
    const keyOf = (metadata: Uint8Array) => {
      asked.push(new TextDecoder().decode(metadata));
      return Promise.resolve(undefined);
    };
    const file = new FileCipher(GCM, bytes("footer"), { keyOf });
    expect(await file.footer()).toBeUndefined();
    const chunks = [
      { field_2: { field_1: [bytes("a"), bytes("b")], field_2: bytes("of a.b") } },
      { field_2: { field_1: [bytes("c"), 7], field_2: 7 } },
      { field_2: { field_1: 7, field_2: bytes("without path") } },
      { field_1: {} },
    ].map((crypto_metadata): ColumnChunk => ({ file_offset: 0n, crypto_metadata }) as unknown as ColumnChunk);
    for (const [i, chunk] of chunks.entries()) {
      expect(await file.chunk(chunk, 0, i)).toBe("locked");
    }
    expect(asked).toEqual(["footer", "of a.b", ""]);
  });
});

describe("encrypted metadata of a chunk", () => {
  /** Type 1 (INT32), path, 7 values and offset 4. */
  const METADATA = Uint8Array.of(0x15, 2, 0x19, 0x15, 0, 0x19, 0x18, 1, 97, 0x15, 0, 0x16, 14, 0x46, 8, 0);
  const CRYPTO = { field_2: { field_1: [bytes("a")] } };

  async function opened(content: Uint8Array, ordinal: number | undefined) {
    const group = ordinal ?? 1;
    const encrypted = await moduleOf(content, OTHER, [ID, [COLUMN_METADATA], little(group, 0)]);
    const chunk = { file_offset: 0n, crypto_metadata: CRYPTO, encrypted_column_metadata: encrypted };
    const groups = [{ columns: [] }, { columns: [chunk], ...(ordinal !== undefined && { ordinal }) }];
    const schema = [
      { name: "root", num_children: 1 },
      { name: "a", type: "INT32", converted_type: "DATE" },
    ];
    const metadata = { schema, row_groups: groups } as unknown as FileMetaData;
    const ciphers = await openChunks(metadata, new FileCipher(GCM, undefined, { columnKeys: { a: OTHER } }));
    return { ciphers, meta: metadata.row_groups[1]?.columns[0]?.meta_data };
  }

  it.each([undefined, 1, 258])("is decrypted in a row group with the ordinal %s", async (ordinal) => {
    const { ciphers, meta } = await opened(METADATA, ordinal);
    expect(ciphers.map((row) => row.length)).toEqual([0, 1]);
    expect(meta).toMatchObject({ type: "INT32", num_values: 7n, path_in_schema: ["a"] });
  });

  it("is refused when it is not metadata", async () => {
    const broken = Uint8Array.of(0x15, 2, 0x19, 0x1f);
    await expect(opened(broken, 1)).rejects.toMatchObject({ field: "column metadata" });
  });

  it("is refused after 32,768 row groups", async () => {
    await expect(opened(METADATA, 32_768)).rejects.toMatchObject({ code: "E_LIMIT", field: "encryption" });
  });
});

it("a module that is too short is refused, with the bytes that it needs", async () => {
  for (const [hasCtr, minimum] of [
    [false, 32],
    [true, 16],
  ] as const) {
    const cipher = await ModuleCipher.create(KEY, ID, hasCtr);
    await expect(cipher.decrypt(new Uint8Array(minimum - 1), "dataPage")).rejects.toMatchObject({
      code: "E_TRUNCATED",
      message: expect.stringContaining(`expected at least ${minimum}`),
      field: "encrypted dataPage",
    });
  }
});
