// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageReader } from "@cfile/protobuf/read";

export interface TableNameMessage {
  readonly namespace?: Uint8Array | undefined;
  readonly qualifier?: Uint8Array | undefined;
}

export function decodeTableNameMessage(reader: MessageReader, into?: TableNameMessage): TableNameMessage {
  let namespace = into?.namespace;
  let qualifier = into?.qualifier;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        namespace = reader.bytes("namespace");
        break;
      case 2:
        qualifier = reader.bytes("qualifier");
        break;
      default:
        reader.skip();
    }
  }
  return {
    namespace,
    qualifier,
  };
}

export interface Attribute {
  readonly key?: Uint8Array | undefined;
  readonly value?: Uint8Array | undefined;
}

export function decodeAttribute(reader: MessageReader, into?: Attribute): Attribute {
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

export interface Setting {
  readonly name?: string | undefined;
  readonly value?: string | undefined;
}

export function decodeSetting(reader: MessageReader, into?: Setting): Setting {
  let name = into?.name;
  let value = into?.value;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        name = reader.text("name");
        break;
      case 2:
        value = reader.text("value");
        break;
      default:
        reader.skip();
    }
  }
  return {
    name,
    value,
  };
}

export interface TableSchema {
  readonly tableName?: TableNameMessage | undefined;
  readonly attributes: readonly Attribute[];
  readonly families: readonly FamilySchema[];
  readonly configuration: readonly Setting[];
}

export function decodeTableSchema(reader: MessageReader, into?: TableSchema): TableSchema {
  let tableName = into?.tableName;
  const attributes: Attribute[] = into ? [...into.attributes] : [];
  const families: FamilySchema[] = into ? [...into.families] : [];
  const configuration: Setting[] = into ? [...into.configuration] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        tableName = decodeTableNameMessage(reader.message("table_name"), tableName);
        break;
      case 2:
        attributes.push(decodeAttribute(reader.message("attributes")));
        break;
      case 3:
        families.push(decodeFamilySchema(reader.message("families")));
        break;
      case 4:
        configuration.push(decodeSetting(reader.message("configuration")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    tableName,
    attributes,
    families,
    configuration,
  };
}

export interface FamilySchema {
  readonly name?: Uint8Array | undefined;
  readonly attributes: readonly Attribute[];
  readonly configuration: readonly Setting[];
}

export function decodeFamilySchema(reader: MessageReader, into?: FamilySchema): FamilySchema {
  let name = into?.name;
  const attributes: Attribute[] = into ? [...into.attributes] : [];
  const configuration: Setting[] = into ? [...into.configuration] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        name = reader.bytes("name");
        break;
      case 2:
        attributes.push(decodeAttribute(reader.message("attributes")));
        break;
      case 3:
        configuration.push(decodeSetting(reader.message("configuration")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    name,
    attributes,
    configuration,
  };
}

export interface RegionInfoMessage {
  readonly regionId?: number | undefined;
  readonly tableName?: TableNameMessage | undefined;
  readonly startKey?: Uint8Array | undefined;
  readonly endKey?: Uint8Array | undefined;
  readonly offline?: boolean | undefined;
  readonly split?: boolean | undefined;
  readonly replicaId?: number | undefined;
}

export function decodeRegionInfoMessage(reader: MessageReader, into?: RegionInfoMessage): RegionInfoMessage {
  let regionId = into?.regionId;
  let tableName = into?.tableName;
  let startKey = into?.startKey;
  let endKey = into?.endKey;
  let offline = into?.offline;
  let split = into?.split;
  let replicaId = into?.replicaId;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        regionId = reader.count("region_id");
        break;
      case 2:
        tableName = decodeTableNameMessage(reader.message("table_name"), tableName);
        break;
      case 3:
        startKey = reader.bytes("start_key");
        break;
      case 4:
        endKey = reader.bytes("end_key");
        break;
      case 5:
        offline = reader.bool("offline");
        break;
      case 6:
        split = reader.bool("split");
        break;
      case 7:
        replicaId = reader.uint32("replica_id");
        break;
      default:
        reader.skip();
    }
  }
  return {
    regionId,
    tableName,
    startKey,
    endKey,
    offline,
    split,
    replicaId,
  };
}

export interface ReferenceMessage {
  readonly splitKey?: Uint8Array | undefined;
  readonly range?: number | undefined;
}

export function decodeReferenceMessage(reader: MessageReader, into?: ReferenceMessage): ReferenceMessage {
  let splitKey = into?.splitKey;
  let range = into?.range;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        splitKey = reader.bytes("split_key");
        break;
      case 2:
        range = reader.uint32("range");
        break;
      default:
        reader.skip();
    }
  }
  return {
    splitKey,
    range,
  };
}

export interface StoreFileList {
  readonly timestamp?: number | undefined;
  readonly files: readonly ListedFile[];
  readonly version?: number | undefined;
}

export function decodeStoreFileList(reader: MessageReader, into?: StoreFileList): StoreFileList {
  let timestamp = into?.timestamp;
  const files: ListedFile[] = into ? [...into.files] : [];
  let version = into?.version;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        timestamp = reader.count("timestamp");
        break;
      case 2:
        files.push(decodeListedFile(reader.message("files")));
        break;
      case 3:
        version = reader.count("version");
        break;
      default:
        reader.skip();
    }
  }
  return {
    timestamp,
    files,
    version,
  };
}

export interface ListedFile {
  readonly name?: string | undefined;
  readonly size?: number | undefined;
}

export function decodeListedFile(reader: MessageReader, into?: ListedFile): ListedFile {
  let name = into?.name;
  let size = into?.size;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        name = reader.text("name");
        break;
      case 2:
        size = reader.count("size");
        break;
      default:
        reader.skip();
    }
  }
  return {
    name,
    size,
  };
}

export interface SnapshotDescription {
  readonly name?: string | undefined;
  readonly table?: string | undefined;
  readonly creationTime?: number | undefined;
  readonly type?: number | undefined;
  readonly version?: number | undefined;
  readonly owner?: string | undefined;
  readonly ttlSeconds?: number | undefined;
}

export function decodeSnapshotDescription(reader: MessageReader, into?: SnapshotDescription): SnapshotDescription {
  let name = into?.name;
  let table = into?.table;
  let creationTime = into?.creationTime;
  let type = into?.type;
  let version = into?.version;
  let owner = into?.owner;
  let ttlSeconds = into?.ttlSeconds;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        name = reader.text("name");
        break;
      case 2:
        table = reader.text("table");
        break;
      case 3:
        creationTime = reader.count("creation_time");
        break;
      case 4:
        type = reader.uint32("type");
        break;
      case 5:
        version = reader.uint32("version");
        break;
      case 6:
        owner = reader.text("owner");
        break;
      case 8:
        ttlSeconds = reader.count("ttl_seconds");
        break;
      default:
        reader.skip();
    }
  }
  return {
    name,
    table,
    creationTime,
    type,
    version,
    owner,
    ttlSeconds,
  };
}

export interface SnapshotManifest {
  readonly tableSchema?: TableSchema | undefined;
  readonly regions: readonly RegionManifest[];
}

export function decodeSnapshotManifest(reader: MessageReader, into?: SnapshotManifest): SnapshotManifest {
  let tableSchema = into?.tableSchema;
  const regions: RegionManifest[] = into ? [...into.regions] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        tableSchema = decodeTableSchema(reader.message("table_schema"), tableSchema);
        break;
      case 2:
        regions.push(decodeRegionManifest(reader.message("regions")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    tableSchema,
    regions,
  };
}

export interface RegionManifest {
  readonly version?: number | undefined;
  readonly region?: RegionInfoMessage | undefined;
  readonly families: readonly FamilyManifest[];
}

export function decodeRegionManifest(reader: MessageReader, into?: RegionManifest): RegionManifest {
  let version = into?.version;
  let region = into?.region;
  const families: FamilyManifest[] = into ? [...into.families] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        version = reader.uint32("version");
        break;
      case 2:
        region = decodeRegionInfoMessage(reader.message("region"), region);
        break;
      case 3:
        families.push(decodeFamilyManifest(reader.message("families")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    version,
    region,
    families,
  };
}

export interface FamilyManifest {
  readonly family?: Uint8Array | undefined;
  readonly files: readonly ManifestFile[];
}

export function decodeFamilyManifest(reader: MessageReader, into?: FamilyManifest): FamilyManifest {
  let family = into?.family;
  const files: ManifestFile[] = into ? [...into.files] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        family = reader.bytes("family");
        break;
      case 2:
        files.push(decodeManifestFile(reader.message("files")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    family,
    files,
  };
}

export interface ManifestFile {
  readonly name?: string | undefined;
  readonly reference?: ReferenceMessage | undefined;
  readonly size?: number | undefined;
}

export function decodeManifestFile(reader: MessageReader, into?: ManifestFile): ManifestFile {
  let name = into?.name;
  let reference = into?.reference;
  let size = into?.size;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        name = reader.text("name");
        break;
      case 2:
        reference = decodeReferenceMessage(reader.message("reference"), reference);
        break;
      case 3:
        size = reader.count("size");
        break;
      default:
        reader.skip();
    }
  }
  return {
    name,
    reference,
    size,
  };
}

export interface CompactionEvent {
  readonly replaced: readonly string[];
}

export function decodeCompactionEvent(reader: MessageReader, into?: CompactionEvent): CompactionEvent {
  const replaced: string[] = into ? [...into.replaced] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        replaced.push(reader.text("replaced"));
        break;
      default:
        reader.skip();
    }
  }
  return {
    replaced,
  };
}

export interface TimeRangeMessage {
  readonly from?: bigint | undefined;
  readonly to?: bigint | undefined;
}

export function decodeTimeRangeMessage(reader: MessageReader, into?: TimeRangeMessage): TimeRangeMessage {
  let from = into?.from;
  let to = into?.to;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        from = reader.uint64("from");
        break;
      case 2:
        to = reader.uint64("to");
        break;
      default:
        reader.skip();
    }
  }
  return {
    from,
    to,
  };
}

export interface LogHeader {
  readonly hasCompression?: boolean | undefined;
  readonly encryptionKey?: Uint8Array | undefined;
  readonly hasTagCompression?: boolean | undefined;
  readonly writerClass?: string | undefined;
  readonly cellCodecClass?: string | undefined;
  readonly hasValueCompression?: boolean | undefined;
}

export function decodeLogHeader(reader: MessageReader, into?: LogHeader): LogHeader {
  let hasCompression = into?.hasCompression;
  let encryptionKey = into?.encryptionKey;
  let hasTagCompression = into?.hasTagCompression;
  let writerClass = into?.writerClass;
  let cellCodecClass = into?.cellCodecClass;
  let hasValueCompression = into?.hasValueCompression;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        hasCompression = reader.bool("has_compression");
        break;
      case 2:
        encryptionKey = reader.bytes("encryption_key");
        break;
      case 3:
        hasTagCompression = reader.bool("has_tag_compression");
        break;
      case 4:
        writerClass = reader.text("writer_class");
        break;
      case 5:
        cellCodecClass = reader.text("cell_codec_class");
        break;
      case 6:
        hasValueCompression = reader.bool("has_value_compression");
        break;
      default:
        reader.skip();
    }
  }
  return {
    hasCompression,
    encryptionKey,
    hasTagCompression,
    writerClass,
    cellCodecClass,
    hasValueCompression,
  };
}

export interface LogKey {
  readonly region?: Uint8Array | undefined;
  readonly table?: Uint8Array | undefined;
  readonly sequenceId?: number | undefined;
  readonly writeTime?: number | undefined;
  readonly cells?: number | undefined;
}

export function decodeLogKey(reader: MessageReader, into?: LogKey): LogKey {
  let region = into?.region;
  let table = into?.table;
  let sequenceId = into?.sequenceId;
  let writeTime = into?.writeTime;
  let cells = into?.cells;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        region = reader.bytes("region");
        break;
      case 2:
        table = reader.bytes("table");
        break;
      case 3:
        sequenceId = reader.count("sequence_id");
        break;
      case 4:
        writeTime = reader.count("write_time");
        break;
      case 7:
        cells = reader.uint32("cells");
        break;
      default:
        reader.skip();
    }
  }
  return {
    region,
    table,
    sequenceId,
    writeTime,
    cells,
  };
}
