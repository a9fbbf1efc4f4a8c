import { createCipheriv, randomBytes } from "node:crypto";
import { fromHex, toHex } from "@cfile/bytes";
import { memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { plainFile, serverKeyOf } from "../src/blocks/encryption.js";

const WRAPPED = { key: "3b0b1a2e7d4c5f60718293a4b5c6d7e8", iv: undefined, version: undefined };

/** The file as written by Kudu: a header with the file's key, then AES-CTR that counts 16-byte blocks of the file. */
function encrypted(serverKey: Uint8Array, fileKey: Uint8Array, content: Uint8Array): Uint8Array {
  const stored = new Uint8Array(fileKey.length === 16 ? 16 : 32);
  stored.set(fileKey);
  const ecb = createCipheriv(`aes-${serverKey.length * 8}-ecb`, serverKey, null).setAutoPadding(false);
  const file = new Uint8Array(64 + content.length);
  file.set(new TextEncoder().encode("kuduenc"));
  file[7] = fileKey.length / 8 - 2;
  file.set(ecb.update(stored), 8);
  const counter = Buffer.alloc(16);
  counter[15] = 4;
  file.set(createCipheriv(`aes-${fileKey.length * 8}-ctr`, fileKey, counter).update(content), 64);
  return file;
}

describe("encrypted files", () => {
  it("decrypt to the example of the specification", async () => {
    const serverKey = serverKeyOf(WRAPPED, undefined);
    expect(toHex(serverKey ?? new Uint8Array(0))).toBe("112130045766754a5ba8b98e9fecfdc2");
    const header = `6b756475656e63006e0a8f8908be201269ea616b025699e6${"00".repeat(40)}`;
    const magic = memorySource(fromHex(`${header}5b16d2aa6942afc2`));
    const { source, start } = await plainFile(magic, serverKey);
    expect(start).toBe(64);
    expect(new TextDecoder().decode(await source.read(64, 8))).toBe("kuducntr");
    const hello = memorySource(fromHex(`${header}000000000000b3d5e97e3e`));
    expect(new TextDecoder().decode(await (await plainFile(hello, serverKey)).source.read(70, 5))).toBe(
      "hello",
    );
  });

  it.each([
    [16, 16],
    [32, 16],
    [16, 24],
    [24, 24],
    [16, 32],
    [32, 32],
  ])(
    "with a server key of %i and a file key of %i bytes are read from anywhere",
    async (serverLength, fileLength) => {
      const serverKey = randomBytes(serverLength);
      const content = new Uint8Array(randomBytes(300));
      const file = encrypted(serverKey, randomBytes(fileLength), content);
      const { source } = await plainFile(memorySource(file), serverKey);
      expect(await source.size()).toBe(364);
      for (const [from, length] of [
        [0, 300],
        [1, 7],
        [15, 2],
        [17, 283],
        [299, 1],
        [290, 100],
      ] as const) {
        expect(await source.read(64 + from, length)).toEqual(content.subarray(from, from + length));
      }
    },
  );

  it("have zeros in holes", async () => {
    const serverKey = randomBytes(16);
    const file = encrypted(serverKey, randomBytes(16), new Uint8Array(200).fill(7));
    file.fill(0, 64 + 32, 64 + 96);
    const { source } = await plainFile(memorySource(file), serverKey);
    const bytes = await source.read(64, 200);
    expect([...bytes.subarray(0, 32), ...bytes.subarray(96)].every((byte) => byte === 7)).toBe(true);
    expect(bytes.subarray(32, 96).every((byte) => byte === 0)).toBe(true);
  });

  it("throw without a key, with an unknown algorithm, or if cut", async () => {
    const serverKey = randomBytes(16);
    const file = encrypted(serverKey, randomBytes(16), new Uint8Array(20));
    await expect(plainFile(memorySource(file), undefined)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    await expect(plainFile(memorySource(file.subarray(0, 63)), serverKey)).rejects.toMatchObject({
      code: "E_TRUNCATED",
    });
    file[7] = 9;
    await expect(plainFile(memorySource(file), serverKey)).rejects.toMatchObject({
      field: "encryption algorithm",
    });
    const plain = memorySource(new Uint8Array(100));
    expect(await plainFile(plain, serverKey)).toEqual({ source: plain, start: 0 });
  });
});
