/**
 * The file info (docs/spec/hfile.md#9-file-info-block): `PBUF`, a varint length and a message whose repeated field 1 is a pair
 * of key (field 1) and value (field 2).
 */
import { ByteBuilder, ByteReader, CFileError, equalBytes, utf8Bytes } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { messageBytes } from "@cfile/protobuf/write";
import { readLengthPrefixed, writeLengthPrefixed } from "@cfile/varint";
import { mismatch } from "../blocks/mismatch.js";
import { decodeFileInfo } from "../generated/decode.js";
import { encodeFileInfo as encodeFields } from "../generated/encode.js";

const MAGIC = "PBUF";

/** Keys that readers and writers use. */
export const FILE_INFO_KEYS = /* @__PURE__ */ Object.freeze({
  lastKey: "hfile.LASTKEY",
  averageKeyLength: "hfile.AVG_KEY_LEN",
  averageValueLength: "hfile.AVG_VALUE_LEN",
  createTime: "hfile.CREATE_TIME_TS",
  keyValueVersion: "KEY_VALUE_VERSION",
  maxMvcc: "MAX_MEMSTORE_TS_KEY",
  maxTagsLength: "hfile.MAX_TAGS_LEN",
  tagsCompressed: "hfile.TAGS_COMPRESSED",
});

/** One entry of the file info block: name and value as stored. */
export interface FileInfoEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** The pairs of a file info, in file order. */
export class FileInfo {
  readonly entries: readonly FileInfoEntry[];

  constructor(entries: readonly FileInfoEntry[]) {
    this.entries = entries;
  }

  /** The value of a key. */
  get(key: string): Uint8Array | undefined {
    const keyBytes = utf8Bytes(key);
    return this.entries.find((entry) => equalBytes(entry.key, keyBytes))?.value;
  }

  /** The value as UTF-8 text. */
  text(key: string): string | undefined {
    const value = this.get(key);
    return value && new TextDecoder().decode(value);
  }

  /** The value as a big-endian integer. @throws {CFileError} `E_CORRUPT` unless it has `length` bytes */
  integer(key: string, length: 4 | 8): bigint | undefined {
    const value = this.get(key);
    if (value === undefined) {
      return undefined;
    }
    if (value.length !== length) {
      throw mismatch(key, undefined, length, value.length);
    }
    const view = new DataView(value.buffer, value.byteOffset, length);
    return length === 4 ? BigInt(view.getInt32(0)) : view.getBigInt64(0);
  }
}

/**
 * Parses the body of a file info block.
 * @throws {CFileError} `E_UNSUPPORTED` for the format of old files, `E_TRUNCATED` and `E_CORRUPT` for malformed ones
 */
export function parseFileInfo(body: Uint8Array): FileInfo {
  const reader = new ByteReader(body);
  const magic = String.fromCharCode(...reader.take(MAGIC.length, "file info magic"));
  if (magic !== MAGIC) {
    const details = { offset: 0, field: "file info magic", expected: MAGIC };
    throw new CFileError("E_UNSUPPORTED", "file info is not a protobuf message", details);
  }
  const message = new MessageReader(readLengthPrefixed(reader, "file info"), "file info");
  const { entries } = decodeFileInfo(message);
  const nothing = new Uint8Array(0);
  return new FileInfo(entries.map(({ key = nothing, value = nothing }) => ({ key, value })));
}

/** Encodes the body of a file info block, with the pairs in the given order. */
export function encodeFileInfo(entries: readonly FileInfoEntry[]): Uint8Array {
  const out = new ByteBuilder();
  out.append(utf8Bytes(MAGIC));
  writeLengthPrefixed(out, messageBytes(encodeFields, { entries }));
  return out.finish();
}
