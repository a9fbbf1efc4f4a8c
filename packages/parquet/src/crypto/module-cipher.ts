/**
 * Modules of encrypted files (https://github.com/apache/parquet-format/blob/master/Encryption.md): headers, pages, indexes and the
 * footer, each encrypted alone.
 *
 * | bytes | meaning |
 * | --- | --- |
 * | 4 | length of the rest, little-endian |
 * | 12 | nonce |
 * | n | ciphertext |
 * | 16 | authentication tag; not in pages of AES_GCM_CTR_V1 |
 *
 * The tag also covers the module's position in the file: prefix, file ID, module type, and the ordinals of row group, column and page.
 */
import { CFileError, concatBytes, fromHex, invalidOption } from "@cfile/bytes";

/** Numbers of module types. */
const MODULES = {
  footer: 0,
  columnMetadata: 1,
  dataPage: 2,
  dictionaryPage: 3,
  dataPageHeader: 4,
  dictionaryPageHeader: 5,
  columnIndex: 6,
  offsetIndex: 7,
  bloomFilterHeader: 8,
  bloomFilterBits: 9,
} as const;

/** A module type by name. */
export type ModuleType = keyof typeof MODULES;

/** An AES key: 16, 24 or 32 bytes, or hexadecimal text. */
export type AesKey = Uint8Array | string;

const KEY_LENGTHS: readonly number[] = [16, 24, 32];
const LENGTH_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Bytes of the signature of a plain footer: a nonce and a tag. */
export const SIGNATURE_BYTES = NONCE_BYTES + TAG_BYTES;
/** Bytes that encryption adds to a module, except to a page of AES_GCM_CTR_V1. */
export const MODULE_OVERHEAD = LENGTH_BYTES + SIGNATURE_BYTES;
const MAX_ORDINAL = 0x7fff;

/** Decrypts the modules of one key. */
export class ModuleCipher {
  private readonly gcm: CryptoKey;
  /** For pages, in files with AES_GCM_CTR_V1. */
  private readonly ctr: CryptoKey | undefined;
  /** Prefix and file ID; `undefined` in files of DuckDB, whose tags do not cover positions. */
  private readonly fileAad: Uint8Array | undefined;

  private constructor(gcm: CryptoKey, ctr: CryptoKey | undefined, fileAad: Uint8Array | undefined) {
    this.gcm = gcm;
    this.ctr = ctr;
    this.fileAad = fileAad;
  }

  /** @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid key; `E_UNSUPPORTED` where the host lacks AES of its size */
  static async create(
    given: AesKey,
    fileAad: Uint8Array | undefined,
    hasCtr: boolean,
  ): Promise<ModuleCipher> {
    const bytes = typeof given === "string" ? fromHex(given) : given;
    if (!KEY_LENGTHS.includes(bytes.length)) {
      throw invalidOption("keys", `${bytes.length} bytes`, "16, 24 or 32 bytes");
    }
    const imported = (name: string, usages: KeyUsage[]) =>
      crypto.subtle.importKey("raw", Uint8Array.from(bytes), name, false, usages);
    try {
      const gcm = await imported("AES-GCM", ["decrypt", "encrypt"]);
      return new ModuleCipher(gcm, hasCtr ? await imported("AES-CTR", ["decrypt"]) : undefined, fileAad);
    } catch (cause) {
      const reason = `this host cannot use an AES key of ${8 * bytes.length} bits`;
      throw new CFileError("E_UNSUPPORTED", reason, { field: "keys", cause });
    }
  }

  /**
   * The content of a module.
   * @param ordinals of its row group, column and page, as far as the type has them
   * @throws {CFileError} `E_CHECKSUM` for a wrong key, wrong prefix or damage; `E_TRUNCATED` for a short module
   */
  async decrypt(module: Uint8Array, type: ModuleType, ordinals: readonly number[] = []): Promise<Uint8Array> {
    const isPage = type === "dataPage" || type === "dictionaryPage";
    const { ctr } = this;
    const minimum = LENGTH_BYTES + NONCE_BYTES + (isPage && ctr !== undefined ? 0 : TAG_BYTES);
    const field = `encrypted ${type}`;
    if (module.length < minimum) {
      const reason = `encrypted module of ${module.length} bytes (expected at least ${minimum})`;
      throw new CFileError("E_TRUNCATED", reason, { field });
    }
    const iv = module.slice(LENGTH_BYTES, LENGTH_BYTES + NONCE_BYTES);
    const cipher = Uint8Array.from(module.subarray(LENGTH_BYTES + NONCE_BYTES));
    if (isPage && ctr !== undefined) {
      const counter = Uint8Array.of(...iv, 0, 0, 0, 1);
      return new Uint8Array(
        await crypto.subtle.decrypt({ name: "AES-CTR", counter, length: 32 }, ctr, cipher),
      );
    }
    const additionalData = this.aadOf(type, ordinals);
    try {
      return new Uint8Array(
        await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, this.gcm, cipher),
      );
    } catch (cause) {
      const reason = "cannot decrypt: the key or the AAD prefix is wrong, or the bytes are damaged";
      throw new CFileError("E_CHECKSUM", reason, { field, cause });
    }
  }

  /** Whether a plain footer has this signature. */
  async hasSigned(footer: Uint8Array, signature: Uint8Array): Promise<boolean> {
    const algorithm = {
      name: "AES-GCM",
      iv: signature.slice(0, NONCE_BYTES),
      additionalData: this.aadOf("footer", []),
    };
    const signed = new Uint8Array(await crypto.subtle.encrypt(algorithm, this.gcm, Uint8Array.from(footer)));
    const tag = signed.subarray(signed.length - TAG_BYTES);
    return tag.every((byte, i) => byte === signature[NONCE_BYTES + i]);
  }

  private aadOf(type: ModuleType, ordinals: readonly number[]): Uint8Array<ArrayBuffer> {
    const place = Uint8Array.from(ordinals.flatMap((ordinal) => [ordinal & 0xff, ordinal >>> 8]));
    if (ordinals.some((ordinal) => ordinal > MAX_ORDINAL)) {
      const reason = `more than ${MAX_ORDINAL + 1} row groups, columns or pages in an encrypted file`;
      throw new CFileError("E_LIMIT", reason, { field: "encryption" });
    }
    const { fileAad } = this;
    return fileAad === undefined
      ? new Uint8Array(0)
      : Uint8Array.from(concatBytes([fileAad, Uint8Array.of(MODULES[type]), place]));
  }
}

/** Decrypts the modules of one column chunk. */
export class ChunkCipher {
  private readonly cipher: ModuleCipher;
  private readonly group: number;
  private readonly column: number;

  constructor(cipher: ModuleCipher, group: number, column: number) {
    this.cipher = cipher;
    this.group = group;
    this.column = column;
  }

  /** @param page ordinal of a data page @throws {CFileError} as {@link ModuleCipher.decrypt} */
  decrypt(module: Uint8Array, type: ModuleType, page?: number): Promise<Uint8Array> {
    const ordinals = [this.group, this.column, ...(page === undefined ? [] : [page])];
    return this.cipher.decrypt(module, type, ordinals);
  }
}

/** Bytes of the module at the start of `bytes`, including its length field; `undefined` if that field is cut off. */
export function moduleSize(bytes: Uint8Array): number | undefined {
  if (bytes.length < LENGTH_BYTES) {
    return undefined;
  }
  return LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}
