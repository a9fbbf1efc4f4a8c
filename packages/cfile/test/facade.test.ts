import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { listGolden, pathToGolden, readGoldenJson, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { type AppendInput, createCFile, memorySink, openCFile } from "../src/index.js";
import { canonicalBytes, rewriteCFile } from "../src/recover.js";

const golden = (name: string): URL => pathToFileURL(pathToGolden(`${name}.cfile`));
const folder = temporaryFolder();

describe("openCFile", () => {
  test("accepts a path, a file URL, bytes, a buffer, a Blob and an AsyncBuffer", async () => {
    const url = golden("enc_int32_plain_n9");
    const bytes = new Uint8Array(await readFile(url));
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const asyncBuffer = {
      byteLength: bytes.length,
      slice: async (start: number, end?: number) => buffer.slice(start, end),
    };
    for (const input of [fileURLToPath(url), url, bytes, buffer, new Blob([buffer]), asyncBuffer]) {
      await using file = await openCFile(input);
      expect((await file.toArray()).length).toBe(9);
      await file.close();
    }
  });

  test("names a missing file in the error", async () => {
    await expect(openCFile(join(folder, "absent.cfile"))).rejects.toMatchObject({
      code: expect.stringMatching(/E_NOT_FOUND|E_IO/),
      message: expect.stringContaining("absent.cfile"),
    });
  });

  test("names file and block of damage in the error", async () => {
    const bytes = new Uint8Array(await readFile(golden("enc_int32_plain_n9")));
    bytes[30] = (bytes[30] as number) ^ 1;
    const path = join(folder, "damaged.cfile");
    await writeFile(path, bytes);
    await using file = await openCFile(path);
    await expect(file.toArray()).rejects.toMatchObject({
      code: "E_CHECKSUM",
      path: expect.stringContaining("damaged.cfile"),
      block: { offset: 16 },
    });
    await file.close();
  });
});

describe("createCFile", () => {
  test("writes a file from plain arrays, typed arrays and batches of another file", async () => {
    const path = join(folder, "mixed.cfile");
    await using source = await openCFile(golden("enc_int32_plain_n9"));
    const { value: batch } = await source.scan().next();
    const writer = await createCFile(pathToFileURL(path), { type: "INT32" });
    const inputs: AppendInput[] = [[1, 2], Int32Array.of(3, 4), ...(batch ? [batch] : [])];
    for (const input of inputs) {
      await writer.append(input);
    }
    writer.addMetadata("note", "hello");
    expect((await writer.finish()).rows).toBe(13);
    await using file = await openCFile(path);
    expect((await file.toArray()).slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect((await file.toArray()).slice(4)).toEqual(await source.toArray());
    expect(new TextDecoder().decode(file.metadata("note"))).toBe("hello");
    await file.close();
  });

  test("leaves no file after an invalid value, an invalid option, or without finish", async () => {
    const before = await readdir(folder);
    const path = join(folder, "never.cfile");
    const writer = await createCFile(path, { type: "INT8" });
    await expect(writer.append([1, 1000])).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      message: expect.stringContaining("row 1"),
    });
    await expect(writer.finish()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    await expect(createCFile(path, { type: "DOUBLE", encoding: "RLE" })).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
    });
    const abandoned = await createCFile(path, { type: "INT8" });
    await abandoned.append([1]);
    await abandoned[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual(before);
  });

  test("keeps an existing file if a write fails", async () => {
    const path = join(folder, "old.cfile");
    await writeFile(path, "old");
    const writer = await createCFile(path, { type: "INT8" });
    await expect(writer.append([1000])).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    expect(await readFile(path, "utf8")).toBe("old");
  });

  test("names an unsuitable typed array in the error", async () => {
    const writer = await createCFile(memorySink(), { type: "INT64" });
    await expect(writer.append(Int32Array.of(1))).rejects.toMatchObject({
      message: expect.stringContaining("Int32Array does not hold INT64"),
    });
  });

  test("writes to a WritableStream", async () => {
    const chunks: Uint8Array[] = [];
    const stream = new WritableStream<Uint8Array>({
      write: (chunk) => {
        chunks.push(chunk.slice());
      },
    });
    const writer = await createCFile(stream, { type: "BOOL" });
    await writer.append([true, false, true]);
    await writer.finish();
    expect(await (await openCFile(new Uint8Array(Buffer.concat(chunks)))).toArray()).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe("rewriteCFile", () => {
  test("preserves content, nullability and metadata when encoding and codec change", async () => {
    for (const name of [
      "metadata_pairs",
      "comp_zlib_string_dict_null",
      "array_string_dict",
      "large_bool_rle_null",
    ]) {
      await using source = await openCFile(golden(name));
      const sink = memorySink();
      await rewriteCFile(source, sink, { encoding: "PLAIN_ENCODING", compression: "LZ4", blockSize: 4096 });
      const target = await openCFile(sink.bytes());
      expect([target.encoding, target.compression]).toEqual(["PLAIN_ENCODING", "LZ4"]);
      expect([target.type, target.nullable, target.array]).toEqual([
        source.type,
        source.nullable,
        source.array,
      ]);
      expect(target.headerMetadata).toEqual(source.headerMetadata);
      expect(target.footerMetadata).toEqual(source.footerMetadata);
      expect(await digest(target)).toBe(await digest(source));
    }
  });

  test.each(["deltafile/delta_redo_small", "bloomfile/bloom_small"])(
    "rejects %s, which is not a column",
    async (name) => {
      const file = await openCFile(golden(name));
      const path = join(folder, "no-column.cfile");
      await expect(rewriteCFile(file, path)).rejects.toMatchObject({
        code: "E_UNSUPPORTED",
        path: file.path,
      });
      expect(await readdir(folder)).not.toContain("no-column.cfile");
      await file.close();
    },
  );

  test("leaves no file if the source is damaged", async () => {
    const bytes = new Uint8Array(await readFile(golden("enc_int32_plain_n1000")));
    bytes[50] = (bytes[50] as number) ^ 4;
    const path = join(folder, "rewritten.cfile");
    await expect(rewriteCFile(await openCFile(bytes), path)).rejects.toMatchObject({ code: "E_CHECKSUM" });
    expect(await readdir(folder)).not.toContain("rewritten.cfile");
  });
});

async function digest(file: Awaited<ReturnType<typeof openCFile>>): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of canonicalBytes(file)) {
    hash.update(piece);
  }
  return hash.digest("hex");
}

describe("canonicalBytes", () => {
  const names = listGolden(".", ".cfile");

  test("match the golden digest of every file", async () => {
    expect(names.length).toBeGreaterThan(700);
    for (const name of names) {
      const json = readGoldenJson<{ sha256: string }>(`${name}.json`);
      const file = await openCFile(golden(name));
      expect(await digest(file), name).toBe(json.sha256);
      await file.close();
    }
  });
});
