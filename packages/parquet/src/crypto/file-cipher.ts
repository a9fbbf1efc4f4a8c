/**
 * Keys of an encrypted file (https://github.com/apache/parquet-format/blob/master/Encryption.md#5-file-format): of the footer, and of
 * columns with keys of their own.
 *
 * | field of the algorithm, a union | meaning |
 * | --- | --- |
 * | 1 | AES_GCM_V1: all modules with AES-GCM |
 * | 2 | AES_GCM_CTR_V1: pages with AES-CTR |
 * | 1.1, 2.1 | AAD prefix, if the file stores it |
 * | 1.2, 2.2 | ID of the file |
 * | 1.3, 2.3 | whether the reader must know the prefix |
 */
import { CFileError, concatBytes, utf8Bytes } from "@cfile/bytes";
import type { ColumnChunk, FileMetaData } from "hyparquet";
import type { ThriftFields } from "../schema/thrift-fields.js";
import { columnMetadata } from "./column-metadata.js";
import { type AesKey, ChunkCipher, ModuleCipher } from "./module-cipher.js";

/** Keys for an encrypted file. */
export interface ParquetKeys {
  /** Key of the footer, and of all columns without their own key: 16, 24 or 32 bytes, or hexadecimal text. */
  readonly footerKey?: AesKey | undefined;
  /** Keys of columns, by path: names joined with dots. */
  readonly columnKeys?: Readonly<Record<string, AesKey>> | undefined;
  /** Finds other keys by the metadata that the writer stored with them; `undefined` for an unknown key. */
  readonly keyOf?: ((metadata: Uint8Array) => AesKey | undefined | Promise<AesKey | undefined>) | undefined;
  /** Prefix that the writer authenticated and did not store, such as the table's name: bytes or text. */
  readonly aadPrefix?: Uint8Array | string | undefined;
}

const NONE = /* @__PURE__ */ new Uint8Array(0);
const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;

/** Decrypts the modules of a file, as far as keys are given. */
export class FileCipher {
  private readonly keys: ParquetKeys;
  private readonly hasCtr: boolean;
  /** `undefined` without a file ID, as in files of DuckDB. */
  private readonly fileAad: Uint8Array | undefined;
  private readonly footerKeyMetadata: Uint8Array;
  private readonly known = new Map<string, Promise<ModuleCipher | undefined>>();

  /**
   * @param algorithm fields of the thrift union
   * @throws {CFileError} `E_UNSUPPORTED` for an unknown algorithm, or without the prefix that the file requires
   */
  constructor(algorithm: ThriftFields, footerKeyMetadata: unknown, keys: ParquetKeys) {
    const [gcm, ctr] = [algorithm["field_1"], algorithm["field_2"]];
    const fields: ThriftFields = Object(gcm ?? ctr);
    if (gcm === undefined && ctr === undefined) {
      throw new CFileError("E_UNSUPPORTED", "unknown encryption algorithm", {
        field: "encryption algorithm",
      });
    }
    const { field_1: stored, field_2: unique, field_3: isSupplied } = fields;
    const given = typeof keys.aadPrefix === "string" ? utf8Bytes(keys.aadPrefix) : keys.aadPrefix;
    if (isSupplied === true && given === undefined) {
      throw new CFileError("E_UNSUPPORTED", "the file requires an AAD prefix: pass keys.aadPrefix", {
        field: "aad_prefix",
      });
    }
    this.keys = keys;
    this.hasCtr = gcm === undefined;
    const prefix = given ?? (isBytes(stored) ? stored : NONE);
    this.fileAad = isBytes(unique) ? concatBytes([prefix, unique]) : undefined;
    this.footerKeyMetadata = isBytes(footerKeyMetadata) ? footerKeyMetadata : NONE;
  }

  /** The cipher of the footer key; `undefined` without the key. */
  footer(): Promise<ModuleCipher | undefined> {
    return this.cipherOf("", this.keys.footerKey, this.footerKeyMetadata);
  }

  /**
   * The cipher for the modules of a chunk.
   * @returns `"plain"` for a chunk that is not encrypted, `"locked"` without the key
   */
  async chunk(chunk: ColumnChunk, group: number, column: number): Promise<ChunkCipher | "plain" | "locked"> {
    const { crypto_metadata: crypto } = chunk;
    const fields: ThriftFields = Object(crypto);
    const own: ThriftFields | undefined =
      fields["field_2"] === undefined ? undefined : Object(fields["field_2"]);
    // DuckDB encrypts all chunks without marking them as encrypted.
    if (own === undefined && fields["field_1"] === undefined && this.fileAad !== undefined) {
      return "plain";
    }
    const path = own === undefined ? "" : pathOf(own["field_1"]);
    const metadata = own?.["field_2"];
    const cipher = await (own === undefined
      ? this.footer()
      : this.cipherOf(path, this.keys.columnKeys?.[path], isBytes(metadata) ? metadata : NONE));
    return cipher === undefined ? "locked" : new ChunkCipher(cipher, group, column);
  }

  private cipherOf(path: string, given: AesKey | undefined, metadata: Uint8Array) {
    const known = this.known.get(path) ?? this.create(given, metadata);
    this.known.set(path, known);
    return known;
  }

  private async create(given: AesKey | undefined, metadata: Uint8Array): Promise<ModuleCipher | undefined> {
    const key = given ?? (await this.keys.keyOf?.(metadata));
    return key === undefined ? undefined : ModuleCipher.create(key, this.fileAad, this.hasCtr);
  }
}

function pathOf(names: unknown): string {
  const decoder = new TextDecoder();
  return Array.isArray(names)
    ? names.map((name) => (isBytes(name) ? decoder.decode(name) : "")).join(".")
    : "";
}

/** How each chunk is decrypted, by row group and column. */
export type ChunkCiphers = readonly (readonly (ChunkCipher | "plain" | "locked")[])[];

/**
 * Decrypts the metadata of all chunks whose keys are given, in place.
 * @throws {CFileError} `E_CHECKSUM` for a wrong key
 */
export async function openChunks(metadata: FileMetaData, file: FileCipher): Promise<ChunkCiphers> {
  const leaves = metadata.schema.flatMap(({ type, converted_type: converted }) =>
    type === undefined ? [] : { type, converted },
  );
  const ciphers: (ChunkCipher | "plain" | "locked")[][] = [];
  for (const [index, group] of metadata.row_groups.entries()) {
    const row: (ChunkCipher | "plain" | "locked")[] = [];
    for (const [column, chunk] of group.columns.entries()) {
      const cipher = await file.chunk(chunk, group.ordinal ?? index, column);
      const encrypted: unknown = chunk.encrypted_column_metadata;
      const leaf = leaves[column];
      if (typeof cipher !== "string" && isBytes(encrypted) && leaf !== undefined) {
        const bytes = await cipher.decrypt(encrypted, "columnMetadata");
        chunk.meta_data = columnMetadata(bytes, leaf.type, leaf.converted);
      }
      row.push(cipher);
    }
    ciphers.push(row);
  }
  return ciphers;
}
