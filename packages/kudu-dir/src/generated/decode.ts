// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageReader } from "@cfile/protobuf/read";

export interface SysTablesEntryPB {
  readonly name: string;
  readonly version: number;
  readonly schema: SchemaPB;
  readonly numReplicas: number;
  readonly state?: number | undefined;
  readonly nextColumnId?: number | undefined;
  readonly partitionSchema?: PartitionSchemaPB | undefined;
  readonly createTimestamp?: number | undefined;
  readonly alterTimestamp?: number | undefined;
  readonly extraConfig?: TableExtraConfigPB | undefined;
  readonly owner?: string | undefined;
  readonly tableType?: number | undefined;
  readonly tableDiskSizeLimit?: bigint | undefined;
  readonly tableRowCountLimit?: bigint | undefined;
  readonly comment?: string | undefined;
  readonly deleteTimestamp?: number | undefined;
  readonly softDeletedReservedSeconds?: number | undefined;
}

export function decodeSysTablesEntryPB(reader: MessageReader, into?: SysTablesEntryPB): SysTablesEntryPB {
  let name = into?.name;
  let version = into?.version;
  let schema = into?.schema;
  let numReplicas = into?.numReplicas;
  let state = into?.state;
  let nextColumnId = into?.nextColumnId;
  let partitionSchema = into?.partitionSchema;
  let createTimestamp = into?.createTimestamp;
  let alterTimestamp = into?.alterTimestamp;
  let extraConfig = into?.extraConfig;
  let owner = into?.owner;
  let tableType = into?.tableType;
  let tableDiskSizeLimit = into?.tableDiskSizeLimit;
  let tableRowCountLimit = into?.tableRowCountLimit;
  let comment = into?.comment;
  let deleteTimestamp = into?.deleteTimestamp;
  let softDeletedReservedSeconds = into?.softDeletedReservedSeconds;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        name = reader.text("name");
        break;
      case 2:
        version = reader.uint32("version");
        break;
      case 3:
        schema = decodeSchemaPB(reader.message("schema"), schema);
        break;
      case 5:
        numReplicas = reader.int32("num_replicas");
        break;
      case 6:
        state = reader.int32("state");
        break;
      case 8:
        nextColumnId = reader.int32("next_column_id");
        break;
      case 9:
        partitionSchema = decodePartitionSchemaPB(reader.message("partition_schema"), partitionSchema);
        break;
      case 10:
        createTimestamp = reader.count("create_timestamp");
        break;
      case 11:
        alterTimestamp = reader.count("alter_timestamp");
        break;
      case 12:
        extraConfig = decodeTableExtraConfigPB(reader.message("extra_config"), extraConfig);
        break;
      case 13:
        owner = reader.text("owner");
        break;
      case 14:
        tableType = reader.int32("table_type");
        break;
      case 15:
        tableDiskSizeLimit = reader.int64("table_disk_size_limit");
        break;
      case 16:
        tableRowCountLimit = reader.int64("table_row_count_limit");
        break;
      case 17:
        comment = reader.text("comment");
        break;
      case 18:
        deleteTimestamp = reader.count("delete_timestamp");
        break;
      case 19:
        softDeletedReservedSeconds = reader.uint32("soft_deleted_reserved_seconds");
        break;
      default:
        reader.skip();
    }
  }
  return {
    name: reader.required(name, "name"),
    version: reader.required(version, "version"),
    schema: reader.required(schema, "schema"),
    numReplicas: reader.required(numReplicas, "num_replicas"),
    state,
    nextColumnId,
    partitionSchema,
    createTimestamp,
    alterTimestamp,
    extraConfig,
    owner,
    tableType,
    tableDiskSizeLimit,
    tableRowCountLimit,
    comment,
    deleteTimestamp,
    softDeletedReservedSeconds,
  };
}

export interface SysTabletsEntryPB {
  readonly consensusState?: ConsensusStatePB | undefined;
  readonly state?: number | undefined;
  readonly tableId: string;
  readonly partition?: PartitionPB | undefined;
  readonly dimensionLabel?: string | undefined;
  readonly deleteTimestamp?: number | undefined;
}

export function decodeSysTabletsEntryPB(reader: MessageReader, into?: SysTabletsEntryPB): SysTabletsEntryPB {
  let consensusState = into?.consensusState;
  let state = into?.state;
  let tableId = into?.tableId;
  let partition = into?.partition;
  let dimensionLabel = into?.dimensionLabel;
  let deleteTimestamp = into?.deleteTimestamp;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 3:
        consensusState = decodeConsensusStatePB(reader.message("consensus_state"), consensusState);
        break;
      case 4:
        state = reader.int32("state");
        break;
      case 6:
        tableId = reader.text("table_id");
        break;
      case 7:
        partition = decodePartitionPB(reader.message("partition"), partition);
        break;
      case 8:
        dimensionLabel = reader.text("dimension_label");
        break;
      case 9:
        deleteTimestamp = reader.count("delete_timestamp");
        break;
      default:
        reader.skip();
    }
  }
  return {
    consensusState,
    state,
    tableId: reader.required(tableId, "table_id"),
    partition,
    dimensionLabel,
    deleteTimestamp,
  };
}

export interface SysClusterIdEntryPB {
  readonly clusterId: string;
}

export function decodeSysClusterIdEntryPB(reader: MessageReader, into?: SysClusterIdEntryPB): SysClusterIdEntryPB {
  let clusterId = into?.clusterId;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        clusterId = reader.text("cluster_id");
        break;
      default:
        reader.skip();
    }
  }
  return {
    clusterId: reader.required(clusterId, "cluster_id"),
  };
}

export interface ColumnDataPB {
  readonly block: BlockIdPB;
  readonly columnId: number;
}

export function decodeColumnDataPB(reader: MessageReader, into?: ColumnDataPB): ColumnDataPB {
  let block = into?.block;
  let columnId = into?.columnId;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 2:
        block = decodeBlockIdPB(reader.message("block"), block);
        break;
      case 4:
        columnId = reader.int32("column_id");
        break;
      default:
        reader.skip();
    }
  }
  return {
    block: reader.required(block, "block"),
    columnId: reader.required(columnId, "column_id"),
  };
}

export interface DeltaDataPB {
  readonly block: BlockIdPB;
}

export function decodeDeltaDataPB(reader: MessageReader, into?: DeltaDataPB): DeltaDataPB {
  let block = into?.block;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 2:
        block = decodeBlockIdPB(reader.message("block"), block);
        break;
      default:
        reader.skip();
    }
  }
  return {
    block: reader.required(block, "block"),
  };
}

export interface RowSetDataPB {
  readonly id: bigint;
  readonly lastDurableDmsId?: bigint | undefined;
  readonly columns: readonly ColumnDataPB[];
  readonly redoDeltas: readonly DeltaDataPB[];
  readonly undoDeltas: readonly DeltaDataPB[];
  readonly bloomBlock?: BlockIdPB | undefined;
  readonly adhocIndexBlock?: BlockIdPB | undefined;
  readonly liveRowCount?: number | undefined;
}

export function decodeRowSetDataPB(reader: MessageReader, into?: RowSetDataPB): RowSetDataPB {
  let id = into?.id;
  let lastDurableDmsId = into?.lastDurableDmsId;
  const columns: ColumnDataPB[] = into ? [...into.columns] : [];
  const redoDeltas: DeltaDataPB[] = into ? [...into.redoDeltas] : [];
  const undoDeltas: DeltaDataPB[] = into ? [...into.undoDeltas] : [];
  let bloomBlock = into?.bloomBlock;
  let adhocIndexBlock = into?.adhocIndexBlock;
  let liveRowCount = into?.liveRowCount;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        id = reader.uint64("id");
        break;
      case 2:
        lastDurableDmsId = reader.int64("last_durable_dms_id");
        break;
      case 3:
        columns.push(decodeColumnDataPB(reader.message("columns")));
        break;
      case 4:
        redoDeltas.push(decodeDeltaDataPB(reader.message("redo_deltas")));
        break;
      case 5:
        undoDeltas.push(decodeDeltaDataPB(reader.message("undo_deltas")));
        break;
      case 6:
        bloomBlock = decodeBlockIdPB(reader.message("bloom_block"), bloomBlock);
        break;
      case 7:
        adhocIndexBlock = decodeBlockIdPB(reader.message("adhoc_index_block"), adhocIndexBlock);
        break;
      case 10:
        liveRowCount = reader.count("live_row_count");
        break;
      default:
        reader.skip();
    }
  }
  return {
    id: reader.required(id, "id"),
    lastDurableDmsId,
    columns,
    redoDeltas,
    undoDeltas,
    bloomBlock,
    adhocIndexBlock,
    liveRowCount,
  };
}

export interface TxnMetadataPB {
  readonly aborted?: boolean | undefined;
  readonly commitTimestamp?: bigint | undefined;
  readonly flushedCommittedMrs?: boolean | undefined;
}

export function decodeTxnMetadataPB(reader: MessageReader, into?: TxnMetadataPB): TxnMetadataPB {
  let aborted = into?.aborted;
  let commitTimestamp = into?.commitTimestamp;
  let flushedCommittedMrs = into?.flushedCommittedMrs;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        aborted = reader.bool("aborted");
        break;
      case 2:
        commitTimestamp = reader.int64("commit_timestamp");
        break;
      case 4:
        flushedCommittedMrs = reader.bool("flushed_committed_mrs");
        break;
      default:
        reader.skip();
    }
  }
  return {
    aborted,
    commitTimestamp,
    flushedCommittedMrs,
  };
}

export interface TxnMetadataEntry {
  readonly key?: bigint | undefined;
  readonly value?: TxnMetadataPB | undefined;
}

export function decodeTxnMetadataEntry(reader: MessageReader, into?: TxnMetadataEntry): TxnMetadataEntry {
  let key = into?.key;
  let value = into?.value;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        key = reader.int64("key");
        break;
      case 2:
        value = decodeTxnMetadataPB(reader.message("value"), value);
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

export interface DataDirGroupPB {
  readonly uuids: readonly string[];
}

export function decodeDataDirGroupPB(reader: MessageReader, into?: DataDirGroupPB): DataDirGroupPB {
  const uuids: string[] = into ? [...into.uuids] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        uuids.push(reader.text("uuids"));
        break;
      default:
        reader.skip();
    }
  }
  return {
    uuids,
  };
}

export interface TableExtraConfigPB {
  readonly historyMaxAgeSec?: number | undefined;
  readonly maintenancePriority?: number | undefined;
  readonly disableCompaction?: boolean | undefined;
}

export function decodeTableExtraConfigPB(reader: MessageReader, into?: TableExtraConfigPB): TableExtraConfigPB {
  let historyMaxAgeSec = into?.historyMaxAgeSec;
  let maintenancePriority = into?.maintenancePriority;
  let disableCompaction = into?.disableCompaction;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        historyMaxAgeSec = reader.int32("history_max_age_sec");
        break;
      case 2:
        maintenancePriority = reader.int32("maintenance_priority");
        break;
      case 3:
        disableCompaction = reader.bool("disable_compaction");
        break;
      default:
        reader.skip();
    }
  }
  return {
    historyMaxAgeSec,
    maintenancePriority,
    disableCompaction,
  };
}

export interface TabletSuperBlockPB {
  readonly tableId: string;
  readonly tabletId: string;
  readonly lastDurableMrsId: bigint;
  readonly rowsets: readonly RowSetDataPB[];
  readonly tableName: string;
  readonly schema: SchemaPB;
  readonly schemaVersion?: number | undefined;
  readonly tabletDataState?: number | undefined;
  readonly orphanedBlocks: readonly BlockIdPB[];
  readonly tombstoneLastLoggedOpid?: OpId | undefined;
  readonly partition?: PartitionPB | undefined;
  readonly partitionSchema?: PartitionSchemaPB | undefined;
  readonly dataDirGroup?: DataDirGroupPB | undefined;
  readonly supportsLiveRowCount?: boolean | undefined;
  readonly extraConfig?: TableExtraConfigPB | undefined;
  readonly dimensionLabel?: string | undefined;
  readonly tableType?: number | undefined;
  readonly txnMetadata: readonly TxnMetadataEntry[];
}

export function decodeTabletSuperBlockPB(reader: MessageReader, into?: TabletSuperBlockPB): TabletSuperBlockPB {
  let tableId = into?.tableId;
  let tabletId = into?.tabletId;
  let lastDurableMrsId = into?.lastDurableMrsId;
  const rowsets: RowSetDataPB[] = into ? [...into.rowsets] : [];
  let tableName = into?.tableName;
  let schema = into?.schema;
  let schemaVersion = into?.schemaVersion;
  let tabletDataState = into?.tabletDataState;
  const orphanedBlocks: BlockIdPB[] = into ? [...into.orphanedBlocks] : [];
  let tombstoneLastLoggedOpid = into?.tombstoneLastLoggedOpid;
  let partition = into?.partition;
  let partitionSchema = into?.partitionSchema;
  let dataDirGroup = into?.dataDirGroup;
  let supportsLiveRowCount = into?.supportsLiveRowCount;
  let extraConfig = into?.extraConfig;
  let dimensionLabel = into?.dimensionLabel;
  let tableType = into?.tableType;
  const txnMetadata: TxnMetadataEntry[] = into ? [...into.txnMetadata] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        tableId = reader.text("table_id");
        break;
      case 2:
        tabletId = reader.text("tablet_id");
        break;
      case 3:
        lastDurableMrsId = reader.int64("last_durable_mrs_id");
        break;
      case 6:
        rowsets.push(decodeRowSetDataPB(reader.message("rowsets")));
        break;
      case 7:
        tableName = reader.text("table_name");
        break;
      case 8:
        schema = decodeSchemaPB(reader.message("schema"), schema);
        break;
      case 9:
        schemaVersion = reader.uint32("schema_version");
        break;
      case 10:
        tabletDataState = reader.int32("tablet_data_state");
        break;
      case 11:
        orphanedBlocks.push(decodeBlockIdPB(reader.message("orphaned_blocks")));
        break;
      case 12:
        tombstoneLastLoggedOpid = decodeOpId(reader.message("tombstone_last_logged_opid"), tombstoneLastLoggedOpid);
        break;
      case 13:
        partition = decodePartitionPB(reader.message("partition"), partition);
        break;
      case 14:
        partitionSchema = decodePartitionSchemaPB(reader.message("partition_schema"), partitionSchema);
        break;
      case 15:
        dataDirGroup = decodeDataDirGroupPB(reader.message("data_dir_group"), dataDirGroup);
        break;
      case 16:
        supportsLiveRowCount = reader.bool("supports_live_row_count");
        break;
      case 17:
        extraConfig = decodeTableExtraConfigPB(reader.message("extra_config"), extraConfig);
        break;
      case 18:
        dimensionLabel = reader.text("dimension_label");
        break;
      case 19:
        tableType = reader.int32("table_type");
        break;
      case 20:
        txnMetadata.push(decodeTxnMetadataEntry(reader.message("txn_metadata")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    tableId: reader.required(tableId, "table_id"),
    tabletId: reader.required(tabletId, "tablet_id"),
    lastDurableMrsId: reader.required(lastDurableMrsId, "last_durable_mrs_id"),
    rowsets,
    tableName: reader.required(tableName, "table_name"),
    schema: reader.required(schema, "schema"),
    schemaVersion,
    tabletDataState,
    orphanedBlocks,
    tombstoneLastLoggedOpid,
    partition,
    partitionSchema,
    dataDirGroup,
    supportsLiveRowCount,
    extraConfig,
    dimensionLabel,
    tableType,
    txnMetadata,
  };
}

export interface SchemaPB {
  readonly columns: readonly ColumnSchemaPB[];
}

export function decodeSchemaPB(reader: MessageReader, into?: SchemaPB): SchemaPB {
  const columns: ColumnSchemaPB[] = into ? [...into.columns] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        columns.push(decodeColumnSchemaPB(reader.message("columns")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    columns,
  };
}

export interface ColumnSchemaPB {
  readonly id?: number | undefined;
  readonly name: string;
  readonly type: number;
  readonly isKey?: boolean | undefined;
  readonly isNullable?: boolean | undefined;
  readonly readDefaultValue?: Uint8Array | undefined;
  readonly writeDefaultValue?: Uint8Array | undefined;
  readonly encoding?: number | undefined;
  readonly compression?: number | undefined;
  readonly cfileBlockSize?: number | undefined;
  readonly typeAttributes?: ColumnTypeAttributesPB | undefined;
  readonly comment?: string | undefined;
  readonly immutable?: boolean | undefined;
  readonly isAutoIncrementing?: boolean | undefined;
  readonly nestedType?: NestedDataTypePB | undefined;
}

export function decodeColumnSchemaPB(reader: MessageReader, into?: ColumnSchemaPB): ColumnSchemaPB {
  let id = into?.id;
  let name = into?.name;
  let type = into?.type;
  let isKey = into?.isKey;
  let isNullable = into?.isNullable;
  let readDefaultValue = into?.readDefaultValue;
  let writeDefaultValue = into?.writeDefaultValue;
  let encoding = into?.encoding;
  let compression = into?.compression;
  let cfileBlockSize = into?.cfileBlockSize;
  let typeAttributes = into?.typeAttributes;
  let comment = into?.comment;
  let immutable = into?.immutable;
  let isAutoIncrementing = into?.isAutoIncrementing;
  let nestedType = into?.nestedType;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        id = reader.int32("id");
        break;
      case 2:
        name = reader.text("name");
        break;
      case 3:
        type = reader.int32("type");
        break;
      case 4:
        isKey = reader.bool("is_key");
        break;
      case 5:
        isNullable = reader.bool("is_nullable");
        break;
      case 6:
        readDefaultValue = reader.bytes("read_default_value");
        break;
      case 7:
        writeDefaultValue = reader.bytes("write_default_value");
        break;
      case 8:
        encoding = reader.int32("encoding");
        break;
      case 9:
        compression = reader.int32("compression");
        break;
      case 10:
        cfileBlockSize = reader.int32("cfile_block_size");
        break;
      case 11:
        typeAttributes = decodeColumnTypeAttributesPB(reader.message("type_attributes"), typeAttributes);
        break;
      case 12:
        comment = reader.text("comment");
        break;
      case 13:
        immutable = reader.bool("immutable");
        break;
      case 14:
        isAutoIncrementing = reader.bool("is_auto_incrementing");
        break;
      case 15:
        nestedType = decodeNestedDataTypePB(reader.message("nested_type"), nestedType);
        break;
      default:
        reader.skip();
    }
  }
  return {
    id,
    name: reader.required(name, "name"),
    type: reader.required(type, "type"),
    isKey,
    isNullable,
    readDefaultValue,
    writeDefaultValue,
    encoding,
    compression,
    cfileBlockSize,
    typeAttributes,
    comment,
    immutable,
    isAutoIncrementing,
    nestedType,
  };
}

export interface ColumnTypeAttributesPB {
  readonly precision?: number | undefined;
  readonly scale?: number | undefined;
  readonly length?: number | undefined;
}

export function decodeColumnTypeAttributesPB(reader: MessageReader, into?: ColumnTypeAttributesPB): ColumnTypeAttributesPB {
  let precision = into?.precision;
  let scale = into?.scale;
  let length = into?.length;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        precision = reader.int32("precision");
        break;
      case 2:
        scale = reader.int32("scale");
        break;
      case 3:
        length = reader.int32("length");
        break;
      default:
        reader.skip();
    }
  }
  return {
    precision,
    scale,
    length,
  };
}

export interface NestedDataTypePB {
  readonly array?: ArrayTypePB | undefined;
}

export function decodeNestedDataTypePB(reader: MessageReader, into?: NestedDataTypePB): NestedDataTypePB {
  let array = into?.array;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        array = decodeArrayTypePB(reader.message("array"), array);
        break;
      default:
        reader.skip();
    }
  }
  return {
    array,
  };
}

export interface ArrayTypePB {
  readonly type?: number | undefined;
}

export function decodeArrayTypePB(reader: MessageReader, into?: ArrayTypePB): ArrayTypePB {
  let type = into?.type;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        type = reader.int32("type");
        break;
      default:
        reader.skip();
    }
  }
  return {
    type,
  };
}

export interface PartitionPB {
  readonly hashBuckets: readonly number[];
  readonly partitionKeyStart?: Uint8Array | undefined;
  readonly partitionKeyEnd?: Uint8Array | undefined;
}

export function decodePartitionPB(reader: MessageReader, into?: PartitionPB): PartitionPB {
  const hashBuckets: number[] = into ? [...into.hashBuckets] : [];
  let partitionKeyStart = into?.partitionKeyStart;
  let partitionKeyEnd = into?.partitionKeyEnd;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        reader.int32s("hash_buckets", hashBuckets);
        break;
      case 2:
        partitionKeyStart = reader.bytes("partition_key_start");
        break;
      case 3:
        partitionKeyEnd = reader.bytes("partition_key_end");
        break;
      default:
        reader.skip();
    }
  }
  return {
    hashBuckets,
    partitionKeyStart,
    partitionKeyEnd,
  };
}

export interface ColumnIdentifierPB {
  readonly id?: number | undefined;
  readonly name?: string | undefined;
}

export function decodeColumnIdentifierPB(reader: MessageReader, into?: ColumnIdentifierPB): ColumnIdentifierPB {
  let id = into?.id;
  let name = into?.name;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        id = reader.int32("id");
        break;
      case 2:
        name = reader.text("name");
        break;
      default:
        reader.skip();
    }
  }
  return {
    id,
    name,
  };
}

export interface RangeSchemaPB {
  readonly columns: readonly ColumnIdentifierPB[];
}

export function decodeRangeSchemaPB(reader: MessageReader, into?: RangeSchemaPB): RangeSchemaPB {
  const columns: ColumnIdentifierPB[] = into ? [...into.columns] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        columns.push(decodeColumnIdentifierPB(reader.message("columns")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    columns,
  };
}

export interface HashBucketSchemaPB {
  readonly columns: readonly ColumnIdentifierPB[];
  readonly numBuckets: number;
  readonly seed?: number | undefined;
  readonly hashAlgorithm?: number | undefined;
}

export function decodeHashBucketSchemaPB(reader: MessageReader, into?: HashBucketSchemaPB): HashBucketSchemaPB {
  const columns: ColumnIdentifierPB[] = into ? [...into.columns] : [];
  let numBuckets = into?.numBuckets;
  let seed = into?.seed;
  let hashAlgorithm = into?.hashAlgorithm;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        columns.push(decodeColumnIdentifierPB(reader.message("columns")));
        break;
      case 2:
        numBuckets = reader.int32("num_buckets");
        break;
      case 3:
        seed = reader.uint32("seed");
        break;
      case 4:
        hashAlgorithm = reader.int32("hash_algorithm");
        break;
      default:
        reader.skip();
    }
  }
  return {
    columns,
    numBuckets: reader.required(numBuckets, "num_buckets"),
    seed,
    hashAlgorithm,
  };
}

export interface RowOperationsPB {
  readonly rows?: Uint8Array | undefined;
  readonly indirectData?: Uint8Array | undefined;
}

export function decodeRowOperationsPB(reader: MessageReader, into?: RowOperationsPB): RowOperationsPB {
  let rows = into?.rows;
  let indirectData = into?.indirectData;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 2:
        rows = reader.bytes("rows");
        break;
      case 3:
        indirectData = reader.bytes("indirect_data");
        break;
      default:
        reader.skip();
    }
  }
  return {
    rows,
    indirectData,
  };
}

export interface RangeWithHashSchemaPB {
  readonly rangeBounds?: RowOperationsPB | undefined;
  readonly hashSchema: readonly HashBucketSchemaPB[];
}

export function decodeRangeWithHashSchemaPB(reader: MessageReader, into?: RangeWithHashSchemaPB): RangeWithHashSchemaPB {
  let rangeBounds = into?.rangeBounds;
  const hashSchema: HashBucketSchemaPB[] = into ? [...into.hashSchema] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        rangeBounds = decodeRowOperationsPB(reader.message("range_bounds"), rangeBounds);
        break;
      case 2:
        hashSchema.push(decodeHashBucketSchemaPB(reader.message("hash_schema")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    rangeBounds,
    hashSchema,
  };
}

export interface PartitionSchemaPB {
  readonly hashSchema: readonly HashBucketSchemaPB[];
  readonly rangeSchema?: RangeSchemaPB | undefined;
  readonly customHashSchemaRanges: readonly RangeWithHashSchemaPB[];
}

export function decodePartitionSchemaPB(reader: MessageReader, into?: PartitionSchemaPB): PartitionSchemaPB {
  const hashSchema: HashBucketSchemaPB[] = into ? [...into.hashSchema] : [];
  let rangeSchema = into?.rangeSchema;
  const customHashSchemaRanges: RangeWithHashSchemaPB[] = into ? [...into.customHashSchemaRanges] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        hashSchema.push(decodeHashBucketSchemaPB(reader.message("hash_schema")));
        break;
      case 2:
        rangeSchema = decodeRangeSchemaPB(reader.message("range_schema"), rangeSchema);
        break;
      case 5:
        customHashSchemaRanges.push(decodeRangeWithHashSchemaPB(reader.message("custom_hash_schema_ranges")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    hashSchema,
    rangeSchema,
    customHashSchemaRanges,
  };
}

export interface InstanceMetadataPB {
  readonly uuid: string;
  readonly formatStamp?: string | undefined;
  readonly serverKey?: string | undefined;
  readonly serverKeyIv?: string | undefined;
  readonly serverKeyVersion?: string | undefined;
  readonly tenants: readonly TenantMetadataPB[];
}

export function decodeInstanceMetadataPB(reader: MessageReader, into?: InstanceMetadataPB): InstanceMetadataPB {
  let uuid = into?.uuid;
  let formatStamp = into?.formatStamp;
  let serverKey = into?.serverKey;
  let serverKeyIv = into?.serverKeyIv;
  let serverKeyVersion = into?.serverKeyVersion;
  const tenants: TenantMetadataPB[] = into ? [...into.tenants] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        uuid = reader.text("uuid");
        break;
      case 2:
        formatStamp = reader.text("format_stamp");
        break;
      case 3:
        serverKey = reader.text("server_key");
        break;
      case 4:
        serverKeyIv = reader.text("server_key_iv");
        break;
      case 5:
        serverKeyVersion = reader.text("server_key_version");
        break;
      case 6:
        tenants.push(decodeTenantMetadataPB(reader.message("tenants")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    uuid: reader.required(uuid, "uuid"),
    formatStamp,
    serverKey,
    serverKeyIv,
    serverKeyVersion,
    tenants,
  };
}

export interface TenantMetadataPB {
  readonly tenantName?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly tenantKey?: string | undefined;
  readonly tenantKeyIv?: string | undefined;
  readonly tenantKeyVersion?: string | undefined;
}

export function decodeTenantMetadataPB(reader: MessageReader, into?: TenantMetadataPB): TenantMetadataPB {
  let tenantName = into?.tenantName;
  let tenantId = into?.tenantId;
  let tenantKey = into?.tenantKey;
  let tenantKeyIv = into?.tenantKeyIv;
  let tenantKeyVersion = into?.tenantKeyVersion;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        tenantName = reader.text("tenant_name");
        break;
      case 2:
        tenantId = reader.text("tenant_id");
        break;
      case 3:
        tenantKey = reader.text("tenant_key");
        break;
      case 4:
        tenantKeyIv = reader.text("tenant_key_iv");
        break;
      case 5:
        tenantKeyVersion = reader.text("tenant_key_version");
        break;
      default:
        reader.skip();
    }
  }
  return {
    tenantName,
    tenantId,
    tenantKey,
    tenantKeyIv,
    tenantKeyVersion,
  };
}

export interface DirSetPB {
  readonly uuid: string;
  readonly allUuids: readonly string[];
}

export function decodeDirSetPB(reader: MessageReader, into?: DirSetPB): DirSetPB {
  let uuid = into?.uuid;
  const allUuids: string[] = into ? [...into.allUuids] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        uuid = reader.text("uuid");
        break;
      case 2:
        allUuids.push(reader.text("all_uuids"));
        break;
      default:
        reader.skip();
    }
  }
  return {
    uuid: reader.required(uuid, "uuid"),
    allUuids,
  };
}

export interface DirInstanceMetadataPB {
  readonly dirSet: DirSetPB;
  readonly dirType: string;
  readonly filesystemBlockSizeBytes?: number | undefined;
}

export function decodeDirInstanceMetadataPB(reader: MessageReader, into?: DirInstanceMetadataPB): DirInstanceMetadataPB {
  let dirSet = into?.dirSet;
  let dirType = into?.dirType;
  let filesystemBlockSizeBytes = into?.filesystemBlockSizeBytes;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        dirSet = decodeDirSetPB(reader.message("dir_set"), dirSet);
        break;
      case 2:
        dirType = reader.text("dir_type");
        break;
      case 3:
        filesystemBlockSizeBytes = reader.count("filesystem_block_size_bytes");
        break;
      default:
        reader.skip();
    }
  }
  return {
    dirSet: reader.required(dirSet, "dir_set"),
    dirType: reader.required(dirType, "dir_type"),
    filesystemBlockSizeBytes,
  };
}

export interface ContainerSupHeaderPB {
  readonly protos?: Uint8Array | undefined;
  readonly pbType?: string | undefined;
}

export function decodeContainerSupHeaderPB(reader: MessageReader, into?: ContainerSupHeaderPB): ContainerSupHeaderPB {
  let protos = into?.protos;
  let pbType = into?.pbType;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        protos = reader.bytes("protos");
        break;
      case 2:
        pbType = reader.text("pb_type");
        break;
      default:
        reader.skip();
    }
  }
  return {
    protos,
    pbType,
  };
}

export interface BlockIdPB {
  readonly id: bigint;
}

export function decodeBlockIdPB(reader: MessageReader, into?: BlockIdPB): BlockIdPB {
  let id = into?.id;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        id = reader.fixed64("id");
        break;
      default:
        reader.skip();
    }
  }
  return {
    id: reader.required(id, "id"),
  };
}

export interface BlockRecordPB {
  readonly blockId: BlockIdPB;
  readonly opType: number;
  readonly timestampUs: bigint;
  readonly offset?: bigint | undefined;
  readonly length?: bigint | undefined;
}

export function decodeBlockRecordPB(reader: MessageReader, into?: BlockRecordPB): BlockRecordPB {
  let blockId = into?.blockId;
  let opType = into?.opType;
  let timestampUs = into?.timestampUs;
  let offset = into?.offset;
  let length = into?.length;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        blockId = decodeBlockIdPB(reader.message("block_id"), blockId);
        break;
      case 2:
        opType = reader.int32("op_type");
        break;
      case 3:
        timestampUs = reader.uint64("timestamp_us");
        break;
      case 4:
        offset = reader.int64("offset");
        break;
      case 5:
        length = reader.int64("length");
        break;
      default:
        reader.skip();
    }
  }
  return {
    blockId: reader.required(blockId, "block_id"),
    opType: reader.required(opType, "op_type"),
    timestampUs: reader.required(timestampUs, "timestamp_us"),
    offset,
    length,
  };
}

export interface OpId {
  readonly term: bigint;
  readonly index: bigint;
}

export function decodeOpId(reader: MessageReader, into?: OpId): OpId {
  let term = into?.term;
  let index = into?.index;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        term = reader.int64("term");
        break;
      case 2:
        index = reader.int64("index");
        break;
      default:
        reader.skip();
    }
  }
  return {
    term: reader.required(term, "term"),
    index: reader.required(index, "index"),
  };
}

export interface ConsensusMetadataPB {
  readonly committedConfig: RaftConfigPB;
  readonly currentTerm: bigint;
  readonly votedFor?: string | undefined;
}

export function decodeConsensusMetadataPB(reader: MessageReader, into?: ConsensusMetadataPB): ConsensusMetadataPB {
  let committedConfig = into?.committedConfig;
  let currentTerm = into?.currentTerm;
  let votedFor = into?.votedFor;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        committedConfig = decodeRaftConfigPB(reader.message("committed_config"), committedConfig);
        break;
      case 2:
        currentTerm = reader.int64("current_term");
        break;
      case 3:
        votedFor = reader.text("voted_for");
        break;
      default:
        reader.skip();
    }
  }
  return {
    committedConfig: reader.required(committedConfig, "committed_config"),
    currentTerm: reader.required(currentTerm, "current_term"),
    votedFor,
  };
}

export interface RaftConfigPB {
  readonly opidIndex?: bigint | undefined;
  readonly peers: readonly RaftPeerPB[];
}

export function decodeRaftConfigPB(reader: MessageReader, into?: RaftConfigPB): RaftConfigPB {
  let opidIndex = into?.opidIndex;
  const peers: RaftPeerPB[] = into ? [...into.peers] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        opidIndex = reader.int64("opid_index");
        break;
      case 3:
        peers.push(decodeRaftPeerPB(reader.message("peers")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    opidIndex,
    peers,
  };
}

export interface RaftPeerPB {
  readonly permanentUuid?: string | undefined;
  readonly memberType?: number | undefined;
  readonly lastKnownAddr?: HostPortPB | undefined;
}

export function decodeRaftPeerPB(reader: MessageReader, into?: RaftPeerPB): RaftPeerPB {
  let permanentUuid = into?.permanentUuid;
  let memberType = into?.memberType;
  let lastKnownAddr = into?.lastKnownAddr;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        permanentUuid = reader.text("permanent_uuid");
        break;
      case 2:
        memberType = reader.int32("member_type");
        break;
      case 3:
        lastKnownAddr = decodeHostPortPB(reader.message("last_known_addr"), lastKnownAddr);
        break;
      default:
        reader.skip();
    }
  }
  return {
    permanentUuid,
    memberType,
    lastKnownAddr,
  };
}

export interface HostPortPB {
  readonly host: string;
  readonly port: number;
}

export function decodeHostPortPB(reader: MessageReader, into?: HostPortPB): HostPortPB {
  let host = into?.host;
  let port = into?.port;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        host = reader.text("host");
        break;
      case 2:
        port = reader.uint32("port");
        break;
      default:
        reader.skip();
    }
  }
  return {
    host: reader.required(host, "host"),
    port: reader.required(port, "port"),
  };
}

export interface ConsensusStatePB {
  readonly currentTerm: bigint;
  readonly leaderUuid?: string | undefined;
  readonly committedConfig: RaftConfigPB;
}

export function decodeConsensusStatePB(reader: MessageReader, into?: ConsensusStatePB): ConsensusStatePB {
  let currentTerm = into?.currentTerm;
  let leaderUuid = into?.leaderUuid;
  let committedConfig = into?.committedConfig;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        currentTerm = reader.int64("current_term");
        break;
      case 2:
        leaderUuid = reader.text("leader_uuid");
        break;
      case 3:
        committedConfig = decodeRaftConfigPB(reader.message("committed_config"), committedConfig);
        break;
      default:
        reader.skip();
    }
  }
  return {
    currentTerm: reader.required(currentTerm, "current_term"),
    leaderUuid,
    committedConfig: reader.required(committedConfig, "committed_config"),
  };
}

export interface LogSegmentHeaderPB {
  readonly deprecatedMajorVersion?: number | undefined;
  readonly tabletId: string;
  readonly sequenceNumber: number;
  readonly schema: SchemaPB;
  readonly schemaVersion?: number | undefined;
  readonly compressionCodec?: number | undefined;
  readonly incompatibleFeatures: readonly number[];
}

export function decodeLogSegmentHeaderPB(reader: MessageReader, into?: LogSegmentHeaderPB): LogSegmentHeaderPB {
  let deprecatedMajorVersion = into?.deprecatedMajorVersion;
  let tabletId = into?.tabletId;
  let sequenceNumber = into?.sequenceNumber;
  let schema = into?.schema;
  let schemaVersion = into?.schemaVersion;
  let compressionCodec = into?.compressionCodec;
  const incompatibleFeatures: number[] = into ? [...into.incompatibleFeatures] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        deprecatedMajorVersion = reader.int32("deprecated_major_version");
        break;
      case 5:
        tabletId = reader.text("tablet_id");
        break;
      case 6:
        sequenceNumber = reader.count("sequence_number");
        break;
      case 7:
        schema = decodeSchemaPB(reader.message("schema"), schema);
        break;
      case 8:
        schemaVersion = reader.uint32("schema_version");
        break;
      case 9:
        compressionCodec = reader.int32("compression_codec");
        break;
      case 10:
        reader.int32s("incompatible_features", incompatibleFeatures);
        break;
      default:
        reader.skip();
    }
  }
  return {
    deprecatedMajorVersion,
    tabletId: reader.required(tabletId, "tablet_id"),
    sequenceNumber: reader.required(sequenceNumber, "sequence_number"),
    schema: reader.required(schema, "schema"),
    schemaVersion,
    compressionCodec,
    incompatibleFeatures,
  };
}

export interface LogEntryBatchPB {
  readonly entry: readonly LogEntryPB[];
}

export function decodeLogEntryBatchPB(reader: MessageReader, into?: LogEntryBatchPB): LogEntryBatchPB {
  const entry: LogEntryPB[] = into ? [...into.entry] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        entry.push(decodeLogEntryPB(reader.message("entry")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    entry,
  };
}

export interface LogEntryPB {
  readonly type?: number | undefined;
  readonly replicate?: ReplicateMsg | undefined;
  readonly commit?: CommitMsg | undefined;
}

export function decodeLogEntryPB(reader: MessageReader, into?: LogEntryPB): LogEntryPB {
  let type = into?.type;
  let replicate = into?.replicate;
  let commit = into?.commit;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        type = reader.int32("type");
        break;
      case 2:
        replicate = decodeReplicateMsg(reader.message("replicate"), replicate);
        break;
      case 3:
        commit = decodeCommitMsg(reader.message("commit"), commit);
        break;
      default:
        reader.skip();
    }
  }
  return {
    type,
    replicate,
    commit,
  };
}

export interface ReplicateMsg {
  readonly id: OpId;
  readonly timestamp: bigint;
  readonly opType?: number | undefined;
  readonly writeRequest?: WriteRequestPB | undefined;
  readonly alterSchemaRequest?: AlterSchemaRequestPB | undefined;
  readonly changeConfigRecord?: ChangeConfigRecordPB | undefined;
  readonly noopRequest?: NoOpRequestPB | undefined;
}

export function decodeReplicateMsg(reader: MessageReader, into?: ReplicateMsg): ReplicateMsg {
  let id = into?.id;
  let timestamp = into?.timestamp;
  let opType = into?.opType;
  let writeRequest = into?.writeRequest;
  let alterSchemaRequest = into?.alterSchemaRequest;
  let changeConfigRecord = into?.changeConfigRecord;
  let noopRequest = into?.noopRequest;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        id = decodeOpId(reader.message("id"), id);
        break;
      case 2:
        timestamp = reader.fixed64("timestamp");
        break;
      case 4:
        opType = reader.int32("op_type");
        break;
      case 5:
        writeRequest = decodeWriteRequestPB(reader.message("write_request"), writeRequest);
        break;
      case 6:
        alterSchemaRequest = decodeAlterSchemaRequestPB(reader.message("alter_schema_request"), alterSchemaRequest);
        break;
      case 7:
        changeConfigRecord = decodeChangeConfigRecordPB(reader.message("change_config_record"), changeConfigRecord);
        break;
      case 999:
        noopRequest = decodeNoOpRequestPB(reader.message("noop_request"), noopRequest);
        break;
      default:
        reader.skip();
    }
  }
  return {
    id: reader.required(id, "id"),
    timestamp: reader.required(timestamp, "timestamp"),
    opType,
    writeRequest,
    alterSchemaRequest,
    changeConfigRecord,
    noopRequest,
  };
}

export interface LogOutlinePB {
  readonly entry: readonly LogEntryOutlinePB[];
}

export function decodeLogOutlinePB(reader: MessageReader, into?: LogOutlinePB): LogOutlinePB {
  const entry: LogEntryOutlinePB[] = into ? [...into.entry] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        entry.push(decodeLogEntryOutlinePB(reader.message("entry")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    entry,
  };
}

export interface LogEntryOutlinePB {
  readonly replicate?: ReplicateOutlinePB | undefined;
  readonly commit?: CommitOutlinePB | undefined;
}

export function decodeLogEntryOutlinePB(reader: MessageReader, into?: LogEntryOutlinePB): LogEntryOutlinePB {
  let replicate = into?.replicate;
  let commit = into?.commit;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 2:
        replicate = decodeReplicateOutlinePB(reader.message("replicate"), replicate);
        break;
      case 3:
        commit = decodeCommitOutlinePB(reader.message("commit"), commit);
        break;
      default:
        reader.skip();
    }
  }
  return {
    replicate,
    commit,
  };
}

export interface ReplicateOutlinePB {
  readonly id: OpId;
  readonly timestamp: bigint;
  readonly changeConfigRecord?: ChangeConfigRecordPB | undefined;
}

export function decodeReplicateOutlinePB(reader: MessageReader, into?: ReplicateOutlinePB): ReplicateOutlinePB {
  let id = into?.id;
  let timestamp = into?.timestamp;
  let changeConfigRecord = into?.changeConfigRecord;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        id = decodeOpId(reader.message("id"), id);
        break;
      case 2:
        timestamp = reader.fixed64("timestamp");
        break;
      case 7:
        changeConfigRecord = decodeChangeConfigRecordPB(reader.message("change_config_record"), changeConfigRecord);
        break;
      default:
        reader.skip();
    }
  }
  return {
    id: reader.required(id, "id"),
    timestamp: reader.required(timestamp, "timestamp"),
    changeConfigRecord,
  };
}

export interface CommitOutlinePB {
  readonly commitedOpId: OpId;
}

export function decodeCommitOutlinePB(reader: MessageReader, into?: CommitOutlinePB): CommitOutlinePB {
  let commitedOpId = into?.commitedOpId;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 2:
        commitedOpId = decodeOpId(reader.message("commited_op_id"), commitedOpId);
        break;
      default:
        reader.skip();
    }
  }
  return {
    commitedOpId: reader.required(commitedOpId, "commited_op_id"),
  };
}

export interface NoOpRequestPB {
  readonly timestampInOpidOrder?: boolean | undefined;
}

export function decodeNoOpRequestPB(reader: MessageReader, into?: NoOpRequestPB): NoOpRequestPB {
  let timestampInOpidOrder = into?.timestampInOpidOrder;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 2:
        timestampInOpidOrder = reader.bool("timestamp_in_opid_order");
        break;
      default:
        reader.skip();
    }
  }
  return {
    timestampInOpidOrder,
  };
}

export interface ChangeConfigRecordPB {
  readonly newConfig?: RaftConfigPB | undefined;
}

export function decodeChangeConfigRecordPB(reader: MessageReader, into?: ChangeConfigRecordPB): ChangeConfigRecordPB {
  let newConfig = into?.newConfig;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 3:
        newConfig = decodeRaftConfigPB(reader.message("new_config"), newConfig);
        break;
      default:
        reader.skip();
    }
  }
  return {
    newConfig,
  };
}

export interface WriteRequestPB {
  readonly schema?: SchemaPB | undefined;
  readonly rowOperations?: RowOperationsPB | undefined;
  readonly txnId?: bigint | undefined;
  readonly autoIncrementingColumn?: AutoIncrementingColumnPB | undefined;
}

export function decodeWriteRequestPB(reader: MessageReader, into?: WriteRequestPB): WriteRequestPB {
  let schema = into?.schema;
  let rowOperations = into?.rowOperations;
  let txnId = into?.txnId;
  let autoIncrementingColumn = into?.autoIncrementingColumn;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 2:
        schema = decodeSchemaPB(reader.message("schema"), schema);
        break;
      case 3:
        rowOperations = decodeRowOperationsPB(reader.message("row_operations"), rowOperations);
        break;
      case 7:
        txnId = reader.int64("txn_id");
        break;
      case 8:
        autoIncrementingColumn = decodeAutoIncrementingColumnPB(reader.message("auto_incrementing_column"), autoIncrementingColumn);
        break;
      default:
        reader.skip();
    }
  }
  return {
    schema,
    rowOperations,
    txnId,
    autoIncrementingColumn,
  };
}

export interface AutoIncrementingColumnPB {
  readonly autoIncrementingCounter?: bigint | undefined;
}

export function decodeAutoIncrementingColumnPB(reader: MessageReader, into?: AutoIncrementingColumnPB): AutoIncrementingColumnPB {
  let autoIncrementingCounter = into?.autoIncrementingCounter;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        autoIncrementingCounter = reader.int64("auto_incrementing_counter");
        break;
      default:
        reader.skip();
    }
  }
  return {
    autoIncrementingCounter,
  };
}

export interface AlterSchemaRequestPB {
  readonly schema?: SchemaPB | undefined;
  readonly schemaVersion?: number | undefined;
  readonly newTableName?: string | undefined;
}

export function decodeAlterSchemaRequestPB(reader: MessageReader, into?: AlterSchemaRequestPB): AlterSchemaRequestPB {
  let schema = into?.schema;
  let schemaVersion = into?.schemaVersion;
  let newTableName = into?.newTableName;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 2:
        schema = decodeSchemaPB(reader.message("schema"), schema);
        break;
      case 3:
        schemaVersion = reader.uint32("schema_version");
        break;
      case 4:
        newTableName = reader.text("new_table_name");
        break;
      default:
        reader.skip();
    }
  }
  return {
    schema,
    schemaVersion,
    newTableName,
  };
}

export interface CommitMsg {
  readonly opType?: number | undefined;
  readonly commitedOpId: OpId;
  readonly result?: TxResultPB | undefined;
}

export function decodeCommitMsg(reader: MessageReader, into?: CommitMsg): CommitMsg {
  let opType = into?.opType;
  let commitedOpId = into?.commitedOpId;
  let result = into?.result;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        opType = reader.int32("op_type");
        break;
      case 2:
        commitedOpId = decodeOpId(reader.message("commited_op_id"), commitedOpId);
        break;
      case 3:
        result = decodeTxResultPB(reader.message("result"), result);
        break;
      default:
        reader.skip();
    }
  }
  return {
    opType,
    commitedOpId: reader.required(commitedOpId, "commited_op_id"),
    result,
  };
}

export interface TxResultPB {
  readonly ops: readonly Uint8Array[];
}

export function decodeTxResultPB(reader: MessageReader, into?: TxResultPB): TxResultPB {
  const ops: Uint8Array[] = into ? [...into.ops] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        ops.push(reader.bytes("ops", ops.at(-1)));
        break;
      default:
        reader.skip();
    }
  }
  return {
    ops,
  };
}

export interface OperationResultPB {
  readonly skipOnReplay?: boolean | undefined;
  readonly failedStatus?: Uint8Array | undefined;
  readonly mutatedStores: readonly MemStoreTargetPB[];
}

export function decodeOperationResultPB(reader: MessageReader, into?: OperationResultPB): OperationResultPB {
  let skipOnReplay = into?.skipOnReplay;
  let failedStatus = into?.failedStatus;
  const mutatedStores: MemStoreTargetPB[] = into ? [...into.mutatedStores] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        skipOnReplay = reader.bool("skip_on_replay");
        break;
      case 2:
        failedStatus = reader.bytes("failed_status");
        break;
      case 3:
        mutatedStores.push(decodeMemStoreTargetPB(reader.message("mutated_stores")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    skipOnReplay,
    failedStatus,
    mutatedStores,
  };
}

export interface MemStoreTargetPB {
  readonly mrsId?: bigint | undefined;
  readonly rsId?: bigint | undefined;
  readonly dmsId?: bigint | undefined;
  readonly rsTxnId?: bigint | undefined;
}

export function decodeMemStoreTargetPB(reader: MessageReader, into?: MemStoreTargetPB): MemStoreTargetPB {
  let mrsId = into?.mrsId;
  let rsId = into?.rsId;
  let dmsId = into?.dmsId;
  let rsTxnId = into?.rsTxnId;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        mrsId = reader.int64("mrs_id");
        break;
      case 2:
        rsId = reader.int64("rs_id");
        break;
      case 3:
        dmsId = reader.int64("dms_id");
        break;
      case 4:
        rsTxnId = reader.int64("rs_txn_id");
        break;
      default:
        reader.skip();
    }
  }
  return {
    mrsId,
    rsId,
    dmsId,
    rsTxnId,
  };
}
