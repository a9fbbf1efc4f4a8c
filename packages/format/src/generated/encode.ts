// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageWriter } from "@cfile/protobuf/write";
import type { MetadataPair, Header, BlockPointer, IndexTreeInfo, Footer } from "./decode.js";

export function encodeMetadataPair(writer: MessageWriter, message: MetadataPair): void {
  writer.text(1, message.key);
  writer.bytes(2, message.value);
}

export function encodeHeader(writer: MessageWriter, message: Header): void {
  for (const each of message.metadata) {
    writer.message(3, encodeMetadataPair, each);
  }
}

export function encodeBlockPointer(writer: MessageWriter, message: BlockPointer): void {
  writer.int64(1, message.offset);
  writer.int32(2, message.size);
}

export function encodeIndexTreeInfo(writer: MessageWriter, message: IndexTreeInfo): void {
  writer.message(1, encodeBlockPointer, message.rootBlock);
}

export function encodeFooter(writer: MessageWriter, message: Footer): void {
  writer.int32(1, message.dataType);
  writer.int32(2, message.encoding);
  writer.int64(3, message.numValues);
  writer.message(4, encodeIndexTreeInfo, message.posidxInfo);
  writer.message(5, encodeIndexTreeInfo, message.validxInfo);
  writer.int32(6, message.compression);
  for (const each of message.metadata) {
    writer.message(7, encodeMetadataPair, each);
  }
  writer.bool(8, message.isTypeNullable);
  writer.message(9, encodeBlockPointer, message.dictBlockPtr);
  writer.uint32(10, message.incompatibleFeatures);
  writer.uint32(11, message.compatibleFeatures);
  writer.bool(12, message.isTypeArray);
}
