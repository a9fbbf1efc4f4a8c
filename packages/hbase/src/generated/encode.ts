// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageWriter } from "@cfile/protobuf/write";
import type { TableNameMessage, Attribute, Setting, TableSchema, FamilySchema, RegionInfoMessage, ReferenceMessage, StoreFileList, ListedFile, SnapshotDescription, SnapshotManifest, RegionManifest, FamilyManifest, ManifestFile, CompactionEvent, TimeRangeMessage, LogHeader, LogKey } from "./decode.js";

export function encodeTableNameMessage(writer: MessageWriter, message: TableNameMessage): void {
  writer.bytes(1, message.namespace);
  writer.bytes(2, message.qualifier);
}

export function encodeAttribute(writer: MessageWriter, message: Attribute): void {
  writer.bytes(1, message.key);
  writer.bytes(2, message.value);
}

export function encodeSetting(writer: MessageWriter, message: Setting): void {
  writer.text(1, message.name);
  writer.text(2, message.value);
}

export function encodeTableSchema(writer: MessageWriter, message: TableSchema): void {
  writer.message(1, encodeTableNameMessage, message.tableName);
  for (const each of message.attributes) {
    writer.message(2, encodeAttribute, each);
  }
  for (const each of message.families) {
    writer.message(3, encodeFamilySchema, each);
  }
  for (const each of message.configuration) {
    writer.message(4, encodeSetting, each);
  }
}

export function encodeFamilySchema(writer: MessageWriter, message: FamilySchema): void {
  writer.bytes(1, message.name);
  for (const each of message.attributes) {
    writer.message(2, encodeAttribute, each);
  }
  for (const each of message.configuration) {
    writer.message(3, encodeSetting, each);
  }
}

export function encodeRegionInfoMessage(writer: MessageWriter, message: RegionInfoMessage): void {
  writer.count(1, message.regionId);
  writer.message(2, encodeTableNameMessage, message.tableName);
  writer.bytes(3, message.startKey);
  writer.bytes(4, message.endKey);
  writer.bool(5, message.offline);
  writer.bool(6, message.split);
  writer.uint32(7, message.replicaId);
}

export function encodeReferenceMessage(writer: MessageWriter, message: ReferenceMessage): void {
  writer.bytes(1, message.splitKey);
  writer.uint32(2, message.range);
}

export function encodeStoreFileList(writer: MessageWriter, message: StoreFileList): void {
  writer.count(1, message.timestamp);
  for (const each of message.files) {
    writer.message(2, encodeListedFile, each);
  }
  writer.count(3, message.version);
}

export function encodeListedFile(writer: MessageWriter, message: ListedFile): void {
  writer.text(1, message.name);
  writer.count(2, message.size);
}

export function encodeSnapshotDescription(writer: MessageWriter, message: SnapshotDescription): void {
  writer.text(1, message.name);
  writer.text(2, message.table);
  writer.count(3, message.creationTime);
  writer.uint32(4, message.type);
  writer.uint32(5, message.version);
  writer.text(6, message.owner);
  writer.count(8, message.ttlSeconds);
}

export function encodeSnapshotManifest(writer: MessageWriter, message: SnapshotManifest): void {
  writer.message(1, encodeTableSchema, message.tableSchema);
  for (const each of message.regions) {
    writer.message(2, encodeRegionManifest, each);
  }
}

export function encodeRegionManifest(writer: MessageWriter, message: RegionManifest): void {
  writer.uint32(1, message.version);
  writer.message(2, encodeRegionInfoMessage, message.region);
  for (const each of message.families) {
    writer.message(3, encodeFamilyManifest, each);
  }
}

export function encodeFamilyManifest(writer: MessageWriter, message: FamilyManifest): void {
  writer.bytes(1, message.family);
  for (const each of message.files) {
    writer.message(2, encodeManifestFile, each);
  }
}

export function encodeManifestFile(writer: MessageWriter, message: ManifestFile): void {
  writer.text(1, message.name);
  writer.message(2, encodeReferenceMessage, message.reference);
  writer.count(3, message.size);
}

export function encodeCompactionEvent(writer: MessageWriter, message: CompactionEvent): void {
  for (const each of message.replaced) {
    writer.text(1, each);
  }
}

export function encodeTimeRangeMessage(writer: MessageWriter, message: TimeRangeMessage): void {
  writer.uint64(1, message.from);
  writer.uint64(2, message.to);
}

export function encodeLogHeader(writer: MessageWriter, message: LogHeader): void {
  writer.bool(1, message.hasCompression);
  writer.bytes(2, message.encryptionKey);
  writer.bool(3, message.hasTagCompression);
  writer.text(4, message.writerClass);
  writer.text(5, message.cellCodecClass);
  writer.bool(6, message.hasValueCompression);
}

export function encodeLogKey(writer: MessageWriter, message: LogKey): void {
  writer.bytes(1, message.region);
  writer.bytes(2, message.table);
  writer.count(3, message.sequenceId);
  writer.count(4, message.writeTime);
  writer.uint32(7, message.cells);
}
