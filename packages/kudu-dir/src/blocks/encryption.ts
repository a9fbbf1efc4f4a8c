/**
 * Encrypted files (docs/spec/kudu-data-dir.md#8-encryption-at-rest). Header of 64 bytes:
 *
 * | offset | length | field |
 * | --- | --- | --- |
 * | 0 | 7 | `kuduenc` |
 * | 7 | 1 | 0, 1, 2: AES-CTR with a key of 128, 192, 256 bits |
 * | 8 | 16 or 32 | the file key, padded to whole blocks, encrypted with the server key by AES-ECB |
 *
 * The rest is AES-CTR; the counter is the index of the 16-byte block in the file. Blocks of zeros are holes and stay zeros.
 */
import { CFileError, fromHex, invalidOption } from "@cfile/bytes";
import { type ByteSource, readExactly, sizeOf } from "@cfile/io";

import type { WrappedKey } from "../catalog/instance.js";

const HEADER_LENGTH = 64;
const MAGIC = /* @__PURE__ */ new TextEncoder().encode("kuduenc");
const KEY_LENGTHS: readonly number[] = [16, 24, 32];
const BLOCK = 16;
const DEFAULT_PROVIDER_MASK = 0x2a;

/** A decrypted file; offsets are those on disk. */
export interface PlainFile {
  readonly source: ByteSource;
  /** Where the content begins: 64 in an encrypted file, else 0. */
  readonly start: number;
}

/**
 * The server key: the given one, else the one that Kudu's default provider wrapped.
 *
 * @param given 16, 24 or 32 bytes, or hexadecimal text
 * @throws {CFileError} `E_INVALID_ARGUMENT` if `given` is not a key
 */
export function serverKeyOf(
  wrapped: WrappedKey | undefined,
  given: Uint8Array | string | undefined,
): Uint8Array | undefined {
  if (given !== undefined) {
    const key = typeof given === "string" ? fromHex(given) : given;
    if (!KEY_LENGTHS.includes(key.length)) {
      throw invalidOption("serverKey", `${key.length} bytes`, "16, 24 or 32 bytes");
    }
    return key;
  }
  // A key that a key management service wrapped looks the same; reading the first file then fails.
  if (wrapped === undefined || !/^(?:[0-9a-f]{2})+$/i.test(wrapped.key)) {
    return undefined;
  }
  const key = fromHex(wrapped.key.toLowerCase()).map((byte) => byte ^ DEFAULT_PROVIDER_MASK);
  return KEY_LENGTHS.includes(key.length) ? key : undefined;
}

/**
 * A file, decrypted if it is encrypted.
 *
 * @throws {CFileError} `E_UNSUPPORTED` for an unknown key or algorithm, and for a key that this host cannot use; `E_TRUNCATED` for an
 *   incomplete header
 */
export async function plainFile(source: ByteSource, serverKey: Uint8Array | undefined): Promise<PlainFile> {
  const size = await sizeOf(source);
  const field = "encryption header";
  const header =
    size < MAGIC.length ? undefined : await readExactly(source, 0, Math.min(size, HEADER_LENGTH), { field });
  if (header === undefined || MAGIC.some((byte, i) => byte !== header[i])) {
    return { source, start: 0 };
  }
  const { name: path } = source;
  if (header.length < HEADER_LENGTH) {
    const details = { path, offset: header.length, field };
    throw new CFileError("E_TRUNCATED", "the file ends inside its encryption header", details);
  }
  const algorithm = header[MAGIC.length] ?? 0;
  const keyLength = KEY_LENGTHS[algorithm];
  if (keyLength === undefined) {
    const details = { path, offset: MAGIC.length, field: "encryption algorithm", actual: algorithm };
    throw new CFileError("E_UNSUPPORTED", `unsupported encryption algorithm: ${algorithm}`, details);
  }
  if (serverKey === undefined) {
    const reason = "the file is encrypted and a key management service has the server key: pass serverKey";
    throw new CFileError("E_UNSUPPORTED", reason, { path, field: "server_key" });
  }
  const wrapped = header.subarray(8, 8 + Math.ceil(keyLength / BLOCK) * BLOCK);
  try {
    const fileKey = (await decryptBlocks(serverKey, wrapped)).subarray(0, keyLength);
    const key = await aesKey(fileKey, "AES-CTR", ["decrypt"]);
    return { source: decryptedSource(source, key), start: HEADER_LENGTH };
  } catch (cause) {
    const reason = `the file is encrypted, and this host cannot decrypt it (AES-${8 * serverKey.length} key)`;
    throw new CFileError("E_UNSUPPORTED", reason, { path, field, cause });
  }
}

async function aesKey(bytes: Uint8Array, name: string, usages: KeyUsage[]): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", Uint8Array.from(bytes), name, false, usages);
}

/**
 * AES-ECB without padding, built on the AES-CBC of WebCrypto: each block is followed by one that decrypts to padding, which WebCrypto
 * removes.
 */
async function decryptBlocks(keyBytes: Uint8Array, wrapped: Uint8Array): Promise<Uint8Array> {
  const key = await aesKey(keyBytes, "AES-CBC", ["encrypt", "decrypt"]);
  const plain = new Uint8Array(wrapped.length);
  for (let at = 0; at < wrapped.length; at += BLOCK) {
    const block = wrapped.slice(at, at + BLOCK);
    const padding = await crypto.subtle.encrypt({ name: "AES-CBC", iv: block }, key, new Uint8Array(0));
    const both = new Uint8Array(2 * BLOCK);
    both.set(block);
    both.set(new Uint8Array(padding), BLOCK);
    const iv = new Uint8Array(BLOCK);
    plain.set(new Uint8Array(await crypto.subtle.decrypt({ name: "AES-CBC", iv }, key, both)), at);
  }
  return plain;
}

function decryptedSource(source: ByteSource, key: CryptoKey): ByteSource {
  return {
    name: source.name,
    size: (options) => source.size(options),
    read: async (offset, length, options) => {
      const first = offset - (offset % BLOCK);
      const stored = await source.read(first, offset - first + length, options);
      const counter = new Uint8Array(BLOCK);
      new DataView(counter.buffer).setBigUint64(8, BigInt(first / BLOCK));
      const cipher = Uint8Array.from(stored);
      const plain = new Uint8Array(
        await crypto.subtle.decrypt({ name: "AES-CTR", counter, length: 64 }, key, cipher),
      );
      clearHoles(cipher, plain);
      return plain.subarray(offset - first);
    },
    close: async () => source.close?.(),
  };
}

function clearHoles(cipher: Uint8Array, plain: Uint8Array): void {
  for (let at = 0; at + BLOCK <= cipher.length; at += BLOCK) {
    let i = at;
    while (i < at + BLOCK && cipher[i] === 0) {
      i++;
    }
    if (i === at + BLOCK) {
      plain.fill(0, at, i);
    }
  }
}
