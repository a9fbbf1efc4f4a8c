/**
 * Files of servers that encrypt (docs/spec/kudu-data-dir.md#8-encryption-at-rest). Header of 64 bytes:
 *
 * | offset | length | field |
 * | --- | --- | --- |
 * | 0 | 7 | `kuduenc` |
 * | 7 | 1 | 0, 1, 2: AES-CTR with a key of 128, 192, 256 bits |
 * | 8 | 16 or 32 | the file's key, in whole blocks, encrypted with the server's key by AES-ECB |
 *
 * All else is AES-CTR, its counter the number of the 16-byte block in the file. Blocks of zeros are holes, and stay zeros.
 */
import { CFileError, fromHex, invalidArgument } from "@cfile/bytes";
import { type ByteSource, readExactly, sizeOf } from "@cfile/io";

import type { WrappedKey } from "../catalog/instance.js";

const ENCRYPTION_HEADER_LENGTH = 64;

const MAGIC = /* @__PURE__ */ new TextEncoder().encode("kuduenc");
const KEY_LENGTHS: readonly number[] = [16, 24, 32];
const BLOCK = 16;
const DEFAULT_PROVIDER_MASK = 0x2a;

/** A file as it was before it was encrypted; offsets are those in the file. */
export interface PlainFile {
  readonly source: ByteSource;
  /** Where the content begins: 64 in an encrypted file, else 0. */
  readonly start: number;
}

/**
 * The server's key: the one given, else the one that Kudu's default provider wrapped.
 *
 * @param given 16, 24 or 32 bytes, or as hexadecimal text
 * @throws CFileError `E_INVALID_ARGUMENT` when the given one is no key
 */
export function serverKeyOf(
  wrapped: WrappedKey | undefined,
  given: Uint8Array | string | undefined,
): Uint8Array | undefined {
  if (given !== undefined) {
    const key = typeof given === "string" ? fromHex(given) : given;
    if (!KEY_LENGTHS.includes(key.length)) {
      throw invalidArgument(`a server key of ${key.length} bytes; 16, 24 or 32 are expected`, {
        field: "serverKey",
      });
    }
    return key;
  }
  // What a key management service has wrapped looks the same; the first file that is read then tells.
  if (wrapped === undefined || !/^(?:[0-9a-f]{2})+$/i.test(wrapped.key)) {
    return undefined;
  }
  const key = fromHex(wrapped.key.toLowerCase()).map((byte) => byte ^ DEFAULT_PROVIDER_MASK);
  return KEY_LENGTHS.includes(key.length) ? key : undefined;
}

/**
 * Looks whether a file is encrypted, and makes it readable when it is.
 *
 * @throws CFileError `E_UNSUPPORTED`: no key is known, or none that this host can use; `E_CORRUPT`: no such algorithm
 */
export async function plainFile(source: ByteSource, serverKey: Uint8Array | undefined): Promise<PlainFile> {
  const size = await sizeOf(source);
  if (size < MAGIC.length) {
    return { source, start: 0 };
  }
  const header = await readExactly(source, 0, Math.min(size, ENCRYPTION_HEADER_LENGTH), {
    field: "encryption header",
  });
  if (MAGIC.some((byte, i) => byte !== header[i])) {
    return { source, start: 0 };
  }
  const { name: path } = source;
  if (header.length < ENCRYPTION_HEADER_LENGTH) {
    throw new CFileError("E_TRUNCATED", "the file ends inside its encryption header", {
      path,
      offset: header.length,
      field: "encryption header",
    });
  }
  const algorithm = header[MAGIC.length] as number;
  const keyLength = KEY_LENGTHS[algorithm];
  if (keyLength === undefined) {
    throw new CFileError("E_UNSUPPORTED", `encryption algorithm ${algorithm}`, {
      path,
      offset: MAGIC.length,
      field: "encryption algorithm",
      actual: algorithm,
    });
  }
  if (serverKey === undefined) {
    throw new CFileError(
      "E_UNSUPPORTED",
      "the file is encrypted, and the server's key is with a key management service: give the server key",
      { path, field: "server_key" },
    );
  }
  const wrapped = header.subarray(8, 8 + Math.ceil(keyLength / BLOCK) * BLOCK);
  try {
    const fileKey = (await decryptBlocks(serverKey, wrapped)).subarray(0, keyLength);
    const key = await aesKey(fileKey, "AES-CTR", ["decrypt"]);
    return { source: decryptedSource(source, key), start: ENCRYPTION_HEADER_LENGTH };
  } catch (cause) {
    throw new CFileError("E_UNSUPPORTED", "the file is encrypted, and cannot be decrypted here", {
      path,
      field: "encryption header",
      cause,
    });
  }
}

async function aesKey(bytes: Uint8Array, name: string, usages: KeyUsage[]): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", Uint8Array.from(bytes), name, false, usages);
}

/**
 * AES-ECB without padding, out of the AES-CBC that hosts have: of two blocks, the second is made so that it decrypts to a
 * padding, which the host takes off.
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
  for (let at = 0; at < cipher.length; at += BLOCK) {
    const end = Math.min(at + BLOCK, cipher.length);
    let i = at;
    while (i < end && cipher[i] === 0) {
      i++;
    }
    if (i === end && end - at === BLOCK) {
      plain.fill(0, at, end);
    }
  }
}
