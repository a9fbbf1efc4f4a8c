// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageReader } from "@cfile/protobuf/read";

export interface FileInfo {
  readonly entries: readonly FileInfoPair[];
}

export function decodeFileInfo(reader: MessageReader, into?: FileInfo): FileInfo {
  const entries: FileInfoPair[] = into ? [...into.entries] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        entries.push(decodeFileInfoPair(reader.message("entries")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    entries,
  };
}

export interface FileInfoPair {
  readonly key?: Uint8Array | undefined;
  readonly value?: Uint8Array | undefined;
}

export function decodeFileInfoPair(reader: MessageReader, into?: FileInfoPair): FileInfoPair {
  let key = into?.key;
  let value = into?.value;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        key = reader.bytes("key");
        break;
      case 2:
        value = reader.bytes("value");
        break;
      default:
        reader.skip();
    }
  }
  return {
    key,
    value,
  };
}

export interface Trailer {
  readonly fileInfoOffset?: number | undefined;
  readonly loadOnOpenOffset?: number | undefined;
  readonly uncompressedDataIndexSize?: number | undefined;
  readonly totalUncompressedBytes?: number | undefined;
  readonly dataIndexCount?: number | undefined;
  readonly metaIndexCount?: number | undefined;
  readonly entryCount?: number | undefined;
  readonly indexLevels?: number | undefined;
  readonly firstDataBlockOffset?: bigint | undefined;
  readonly lastDataBlockOffset?: bigint | undefined;
  readonly comparator?: string | undefined;
  readonly compressionCodec?: number | undefined;
  readonly encryptionKey?: Uint8Array | undefined;
}

export function decodeTrailer(reader: MessageReader, into?: Trailer): Trailer {
  let fileInfoOffset = into?.fileInfoOffset;
  let loadOnOpenOffset = into?.loadOnOpenOffset;
  let uncompressedDataIndexSize = into?.uncompressedDataIndexSize;
  let totalUncompressedBytes = into?.totalUncompressedBytes;
  let dataIndexCount = into?.dataIndexCount;
  let metaIndexCount = into?.metaIndexCount;
  let entryCount = into?.entryCount;
  let indexLevels = into?.indexLevels;
  let firstDataBlockOffset = into?.firstDataBlockOffset;
  let lastDataBlockOffset = into?.lastDataBlockOffset;
  let comparator = into?.comparator;
  let compressionCodec = into?.compressionCodec;
  let encryptionKey = into?.encryptionKey;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        fileInfoOffset = reader.count("file_info_offset");
        break;
      case 2:
        loadOnOpenOffset = reader.count("load_on_open_offset");
        break;
      case 3:
        uncompressedDataIndexSize = reader.count("uncompressed_data_index_size");
        break;
      case 4:
        totalUncompressedBytes = reader.count("total_uncompressed_bytes");
        break;
      case 5:
        dataIndexCount = reader.uint32("data_index_count");
        break;
      case 6:
        metaIndexCount = reader.uint32("meta_index_count");
        break;
      case 7:
        entryCount = reader.count("entry_count");
        break;
      case 8:
        indexLevels = reader.uint32("index_levels");
        break;
      case 9:
        firstDataBlockOffset = reader.uint64("first_data_block_offset");
        break;
      case 10:
        lastDataBlockOffset = reader.uint64("last_data_block_offset");
        break;
      case 11:
        comparator = reader.text("comparator");
        break;
      case 12:
        compressionCodec = reader.uint32("compression_codec");
        break;
      case 13:
        encryptionKey = reader.bytes("encryption_key");
        break;
      default:
        reader.skip();
    }
  }
  return {
    fileInfoOffset,
    loadOnOpenOffset,
    uncompressedDataIndexSize,
    totalUncompressedBytes,
    dataIndexCount,
    metaIndexCount,
    entryCount,
    indexLevels,
    firstDataBlockOffset,
    lastDataBlockOffset,
    comparator,
    compressionCodec,
    encryptionKey,
  };
}
