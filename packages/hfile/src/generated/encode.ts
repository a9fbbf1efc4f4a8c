// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageWriter } from "@cfile/protobuf/write";
import type { FileInfo, FileInfoPair, Trailer } from "./decode.js";

export function encodeFileInfo(writer: MessageWriter, message: FileInfo): void {
  for (const each of message.entries) {
    writer.message(1, encodeFileInfoPair, each);
  }
}

export function encodeFileInfoPair(writer: MessageWriter, message: FileInfoPair): void {
  writer.bytes(1, message.key);
  writer.bytes(2, message.value);
}

export function encodeTrailer(writer: MessageWriter, message: Trailer): void {
  writer.count(1, message.fileInfoOffset);
  writer.count(2, message.loadOnOpenOffset);
  writer.count(3, message.uncompressedDataIndexSize);
  writer.count(4, message.totalUncompressedBytes);
  writer.uint32(5, message.dataIndexCount);
  writer.uint32(6, message.metaIndexCount);
  writer.count(7, message.entryCount);
  writer.uint32(8, message.indexLevels);
  writer.uint64(9, message.firstDataBlockOffset);
  writer.uint64(10, message.lastDataBlockOffset);
  writer.text(11, message.comparator);
  writer.uint32(12, message.compressionCodec);
  writer.bytes(13, message.encryptionKey);
}
