// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageWriter } from "@cfile/protobuf/write";
import type { SysTablesEntryPB, SysTabletsEntryPB, SysClusterIdEntryPB, ColumnDataPB, DeltaDataPB, RowSetDataPB, TxnMetadataPB, TxnMetadataEntry, DataDirGroupPB, TableExtraConfigPB, TabletSuperBlockPB, SchemaPB, ColumnSchemaPB, ColumnTypeAttributesPB, NestedDataTypePB, ArrayTypePB, PartitionPB, ColumnIdentifierPB, RangeSchemaPB, HashBucketSchemaPB, RowOperationsPB, RangeWithHashSchemaPB, PartitionSchemaPB, InstanceMetadataPB, TenantMetadataPB, DirSetPB, DirInstanceMetadataPB, ContainerSupHeaderPB, BlockIdPB, BlockRecordPB, OpId, ConsensusMetadataPB, RaftConfigPB, RaftPeerPB, HostPortPB, ConsensusStatePB, LogSegmentHeaderPB, LogEntryBatchPB, LogEntryPB, ReplicateMsg, LogOutlinePB, LogEntryOutlinePB, ReplicateOutlinePB, CommitOutlinePB, NoOpRequestPB, ChangeConfigRecordPB, WriteRequestPB, AutoIncrementingColumnPB, AlterSchemaRequestPB, CommitMsg, TxResultPB, OperationResultPB, MemStoreTargetPB } from "./decode.js";

export function encodeSysTablesEntryPB(writer: MessageWriter, message: SysTablesEntryPB): void {
  writer.text(1, message.name);
  writer.uint32(2, message.version);
  writer.message(3, encodeSchemaPB, message.schema);
  writer.int32(5, message.numReplicas);
  writer.int32(6, message.state);
  writer.int32(8, message.nextColumnId);
  writer.message(9, encodePartitionSchemaPB, message.partitionSchema);
  writer.count(10, message.createTimestamp);
  writer.count(11, message.alterTimestamp);
  writer.message(12, encodeTableExtraConfigPB, message.extraConfig);
  writer.text(13, message.owner);
  writer.int32(14, message.tableType);
  writer.int64(15, message.tableDiskSizeLimit);
  writer.int64(16, message.tableRowCountLimit);
  writer.text(17, message.comment);
  writer.count(18, message.deleteTimestamp);
  writer.uint32(19, message.softDeletedReservedSeconds);
}

export function encodeSysTabletsEntryPB(writer: MessageWriter, message: SysTabletsEntryPB): void {
  writer.message(3, encodeConsensusStatePB, message.consensusState);
  writer.int32(4, message.state);
  writer.text(6, message.tableId);
  writer.message(7, encodePartitionPB, message.partition);
  writer.text(8, message.dimensionLabel);
  writer.count(9, message.deleteTimestamp);
}

export function encodeSysClusterIdEntryPB(writer: MessageWriter, message: SysClusterIdEntryPB): void {
  writer.text(1, message.clusterId);
}

export function encodeColumnDataPB(writer: MessageWriter, message: ColumnDataPB): void {
  writer.message(2, encodeBlockIdPB, message.block);
  writer.int32(4, message.columnId);
}

export function encodeDeltaDataPB(writer: MessageWriter, message: DeltaDataPB): void {
  writer.message(2, encodeBlockIdPB, message.block);
}

export function encodeRowSetDataPB(writer: MessageWriter, message: RowSetDataPB): void {
  writer.uint64(1, message.id);
  writer.int64(2, message.lastDurableDmsId);
  for (const each of message.columns) {
    writer.message(3, encodeColumnDataPB, each);
  }
  for (const each of message.redoDeltas) {
    writer.message(4, encodeDeltaDataPB, each);
  }
  for (const each of message.undoDeltas) {
    writer.message(5, encodeDeltaDataPB, each);
  }
  writer.message(6, encodeBlockIdPB, message.bloomBlock);
  writer.message(7, encodeBlockIdPB, message.adhocIndexBlock);
  writer.count(10, message.liveRowCount);
}

export function encodeTxnMetadataPB(writer: MessageWriter, message: TxnMetadataPB): void {
  writer.bool(1, message.aborted);
  writer.int64(2, message.commitTimestamp);
  writer.bool(4, message.flushedCommittedMrs);
}

export function encodeTxnMetadataEntry(writer: MessageWriter, message: TxnMetadataEntry): void {
  writer.int64(1, message.key);
  writer.message(2, encodeTxnMetadataPB, message.value);
}

export function encodeDataDirGroupPB(writer: MessageWriter, message: DataDirGroupPB): void {
  for (const each of message.uuids) {
    writer.text(1, each);
  }
}

export function encodeTableExtraConfigPB(writer: MessageWriter, message: TableExtraConfigPB): void {
  writer.int32(1, message.historyMaxAgeSec);
  writer.int32(2, message.maintenancePriority);
  writer.bool(3, message.disableCompaction);
}

export function encodeTabletSuperBlockPB(writer: MessageWriter, message: TabletSuperBlockPB): void {
  writer.text(1, message.tableId);
  writer.text(2, message.tabletId);
  writer.int64(3, message.lastDurableMrsId);
  for (const each of message.rowsets) {
    writer.message(6, encodeRowSetDataPB, each);
  }
  writer.text(7, message.tableName);
  writer.message(8, encodeSchemaPB, message.schema);
  writer.uint32(9, message.schemaVersion);
  writer.int32(10, message.tabletDataState);
  for (const each of message.orphanedBlocks) {
    writer.message(11, encodeBlockIdPB, each);
  }
  writer.message(12, encodeOpId, message.tombstoneLastLoggedOpid);
  writer.message(13, encodePartitionPB, message.partition);
  writer.message(14, encodePartitionSchemaPB, message.partitionSchema);
  writer.message(15, encodeDataDirGroupPB, message.dataDirGroup);
  writer.bool(16, message.supportsLiveRowCount);
  writer.message(17, encodeTableExtraConfigPB, message.extraConfig);
  writer.text(18, message.dimensionLabel);
  writer.int32(19, message.tableType);
  for (const each of message.txnMetadata) {
    writer.message(20, encodeTxnMetadataEntry, each);
  }
}

export function encodeSchemaPB(writer: MessageWriter, message: SchemaPB): void {
  for (const each of message.columns) {
    writer.message(1, encodeColumnSchemaPB, each);
  }
}

export function encodeColumnSchemaPB(writer: MessageWriter, message: ColumnSchemaPB): void {
  writer.int32(1, message.id);
  writer.text(2, message.name);
  writer.int32(3, message.type);
  writer.bool(4, message.isKey);
  writer.bool(5, message.isNullable);
  writer.bytes(6, message.readDefaultValue);
  writer.bytes(7, message.writeDefaultValue);
  writer.int32(8, message.encoding);
  writer.int32(9, message.compression);
  writer.int32(10, message.cfileBlockSize);
  writer.message(11, encodeColumnTypeAttributesPB, message.typeAttributes);
  writer.text(12, message.comment);
  writer.bool(13, message.immutable);
  writer.bool(14, message.isAutoIncrementing);
  writer.message(15, encodeNestedDataTypePB, message.nestedType);
}

export function encodeColumnTypeAttributesPB(writer: MessageWriter, message: ColumnTypeAttributesPB): void {
  writer.int32(1, message.precision);
  writer.int32(2, message.scale);
  writer.int32(3, message.length);
}

export function encodeNestedDataTypePB(writer: MessageWriter, message: NestedDataTypePB): void {
  writer.message(1, encodeArrayTypePB, message.array);
}

export function encodeArrayTypePB(writer: MessageWriter, message: ArrayTypePB): void {
  writer.int32(1, message.type);
}

export function encodePartitionPB(writer: MessageWriter, message: PartitionPB): void {
  writer.int32s(1, message.hashBuckets);
  writer.bytes(2, message.partitionKeyStart);
  writer.bytes(3, message.partitionKeyEnd);
}

export function encodeColumnIdentifierPB(writer: MessageWriter, message: ColumnIdentifierPB): void {
  writer.int32(1, message.id);
  writer.text(2, message.name);
}

export function encodeRangeSchemaPB(writer: MessageWriter, message: RangeSchemaPB): void {
  for (const each of message.columns) {
    writer.message(1, encodeColumnIdentifierPB, each);
  }
}

export function encodeHashBucketSchemaPB(writer: MessageWriter, message: HashBucketSchemaPB): void {
  for (const each of message.columns) {
    writer.message(1, encodeColumnIdentifierPB, each);
  }
  writer.int32(2, message.numBuckets);
  writer.uint32(3, message.seed);
  writer.int32(4, message.hashAlgorithm);
}

export function encodeRowOperationsPB(writer: MessageWriter, message: RowOperationsPB): void {
  writer.bytes(2, message.rows);
  writer.bytes(3, message.indirectData);
}

export function encodeRangeWithHashSchemaPB(writer: MessageWriter, message: RangeWithHashSchemaPB): void {
  writer.message(1, encodeRowOperationsPB, message.rangeBounds);
  for (const each of message.hashSchema) {
    writer.message(2, encodeHashBucketSchemaPB, each);
  }
}

export function encodePartitionSchemaPB(writer: MessageWriter, message: PartitionSchemaPB): void {
  for (const each of message.hashSchema) {
    writer.message(1, encodeHashBucketSchemaPB, each);
  }
  writer.message(2, encodeRangeSchemaPB, message.rangeSchema);
  for (const each of message.customHashSchemaRanges) {
    writer.message(5, encodeRangeWithHashSchemaPB, each);
  }
}

export function encodeInstanceMetadataPB(writer: MessageWriter, message: InstanceMetadataPB): void {
  writer.text(1, message.uuid);
  writer.text(2, message.formatStamp);
  writer.text(3, message.serverKey);
  writer.text(4, message.serverKeyIv);
  writer.text(5, message.serverKeyVersion);
  for (const each of message.tenants) {
    writer.message(6, encodeTenantMetadataPB, each);
  }
}

export function encodeTenantMetadataPB(writer: MessageWriter, message: TenantMetadataPB): void {
  writer.text(1, message.tenantName);
  writer.text(2, message.tenantId);
  writer.text(3, message.tenantKey);
  writer.text(4, message.tenantKeyIv);
  writer.text(5, message.tenantKeyVersion);
}

export function encodeDirSetPB(writer: MessageWriter, message: DirSetPB): void {
  writer.text(1, message.uuid);
  for (const each of message.allUuids) {
    writer.text(2, each);
  }
}

export function encodeDirInstanceMetadataPB(writer: MessageWriter, message: DirInstanceMetadataPB): void {
  writer.message(1, encodeDirSetPB, message.dirSet);
  writer.text(2, message.dirType);
  writer.count(3, message.filesystemBlockSizeBytes);
}

export function encodeContainerSupHeaderPB(writer: MessageWriter, message: ContainerSupHeaderPB): void {
  writer.bytes(1, message.protos);
  writer.text(2, message.pbType);
}

export function encodeBlockIdPB(writer: MessageWriter, message: BlockIdPB): void {
  writer.fixed64(1, message.id);
}

export function encodeBlockRecordPB(writer: MessageWriter, message: BlockRecordPB): void {
  writer.message(1, encodeBlockIdPB, message.blockId);
  writer.int32(2, message.opType);
  writer.uint64(3, message.timestampUs);
  writer.int64(4, message.offset);
  writer.int64(5, message.length);
}

export function encodeOpId(writer: MessageWriter, message: OpId): void {
  writer.int64(1, message.term);
  writer.int64(2, message.index);
}

export function encodeConsensusMetadataPB(writer: MessageWriter, message: ConsensusMetadataPB): void {
  writer.message(1, encodeRaftConfigPB, message.committedConfig);
  writer.int64(2, message.currentTerm);
  writer.text(3, message.votedFor);
}

export function encodeRaftConfigPB(writer: MessageWriter, message: RaftConfigPB): void {
  writer.int64(1, message.opidIndex);
  for (const each of message.peers) {
    writer.message(3, encodeRaftPeerPB, each);
  }
}

export function encodeRaftPeerPB(writer: MessageWriter, message: RaftPeerPB): void {
  writer.text(1, message.permanentUuid);
  writer.int32(2, message.memberType);
  writer.message(3, encodeHostPortPB, message.lastKnownAddr);
}

export function encodeHostPortPB(writer: MessageWriter, message: HostPortPB): void {
  writer.text(1, message.host);
  writer.uint32(2, message.port);
}

export function encodeConsensusStatePB(writer: MessageWriter, message: ConsensusStatePB): void {
  writer.int64(1, message.currentTerm);
  writer.text(2, message.leaderUuid);
  writer.message(3, encodeRaftConfigPB, message.committedConfig);
}

export function encodeLogSegmentHeaderPB(writer: MessageWriter, message: LogSegmentHeaderPB): void {
  writer.int32(1, message.deprecatedMajorVersion);
  writer.text(5, message.tabletId);
  writer.count(6, message.sequenceNumber);
  writer.message(7, encodeSchemaPB, message.schema);
  writer.uint32(8, message.schemaVersion);
  writer.int32(9, message.compressionCodec);
  for (const each of message.incompatibleFeatures) {
    writer.int32(10, each);
  }
}

export function encodeLogEntryBatchPB(writer: MessageWriter, message: LogEntryBatchPB): void {
  for (const each of message.entry) {
    writer.message(1, encodeLogEntryPB, each);
  }
}

export function encodeLogEntryPB(writer: MessageWriter, message: LogEntryPB): void {
  writer.int32(1, message.type);
  writer.message(2, encodeReplicateMsg, message.replicate);
  writer.message(3, encodeCommitMsg, message.commit);
}

export function encodeReplicateMsg(writer: MessageWriter, message: ReplicateMsg): void {
  writer.message(1, encodeOpId, message.id);
  writer.fixed64(2, message.timestamp);
  writer.int32(4, message.opType);
  writer.message(5, encodeWriteRequestPB, message.writeRequest);
  writer.message(6, encodeAlterSchemaRequestPB, message.alterSchemaRequest);
  writer.message(7, encodeChangeConfigRecordPB, message.changeConfigRecord);
  writer.message(999, encodeNoOpRequestPB, message.noopRequest);
}

export function encodeLogOutlinePB(writer: MessageWriter, message: LogOutlinePB): void {
  for (const each of message.entry) {
    writer.message(1, encodeLogEntryOutlinePB, each);
  }
}

export function encodeLogEntryOutlinePB(writer: MessageWriter, message: LogEntryOutlinePB): void {
  writer.message(2, encodeReplicateOutlinePB, message.replicate);
  writer.message(3, encodeCommitOutlinePB, message.commit);
}

export function encodeReplicateOutlinePB(writer: MessageWriter, message: ReplicateOutlinePB): void {
  writer.message(1, encodeOpId, message.id);
  writer.fixed64(2, message.timestamp);
  writer.message(7, encodeChangeConfigRecordPB, message.changeConfigRecord);
}

export function encodeCommitOutlinePB(writer: MessageWriter, message: CommitOutlinePB): void {
  writer.message(2, encodeOpId, message.commitedOpId);
}

export function encodeNoOpRequestPB(writer: MessageWriter, message: NoOpRequestPB): void {
  writer.bool(2, message.timestampInOpidOrder);
}

export function encodeChangeConfigRecordPB(writer: MessageWriter, message: ChangeConfigRecordPB): void {
  writer.message(3, encodeRaftConfigPB, message.newConfig);
}

export function encodeWriteRequestPB(writer: MessageWriter, message: WriteRequestPB): void {
  writer.message(2, encodeSchemaPB, message.schema);
  writer.message(3, encodeRowOperationsPB, message.rowOperations);
  writer.int64(7, message.txnId);
  writer.message(8, encodeAutoIncrementingColumnPB, message.autoIncrementingColumn);
}

export function encodeAutoIncrementingColumnPB(writer: MessageWriter, message: AutoIncrementingColumnPB): void {
  writer.int64(1, message.autoIncrementingCounter);
}

export function encodeAlterSchemaRequestPB(writer: MessageWriter, message: AlterSchemaRequestPB): void {
  writer.message(2, encodeSchemaPB, message.schema);
  writer.uint32(3, message.schemaVersion);
  writer.text(4, message.newTableName);
}

export function encodeCommitMsg(writer: MessageWriter, message: CommitMsg): void {
  writer.int32(1, message.opType);
  writer.message(2, encodeOpId, message.commitedOpId);
  writer.message(3, encodeTxResultPB, message.result);
}

export function encodeTxResultPB(writer: MessageWriter, message: TxResultPB): void {
  for (const each of message.ops) {
    writer.bytes(1, each);
  }
}

export function encodeOperationResultPB(writer: MessageWriter, message: OperationResultPB): void {
  writer.bool(1, message.skipOnReplay);
  writer.bytes(2, message.failedStatus);
  for (const each of message.mutatedStores) {
    writer.message(3, encodeMemStoreTargetPB, each);
  }
}

export function encodeMemStoreTargetPB(writer: MessageWriter, message: MemStoreTargetPB): void {
  writer.int64(1, message.mrsId);
  writer.int64(2, message.rsId);
  writer.int64(3, message.dmsId);
  writer.int64(4, message.rsTxnId);
}
