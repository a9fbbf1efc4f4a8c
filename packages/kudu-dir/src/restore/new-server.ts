/**
 * Writes the directories of a new server: one root for log, metadata and data (docs/spec/kudu-data-dir.md#1-directory-layout).
 *
 * | file | content |
 * | --- | --- |
 * | `instance`, `data/block_manager_instance` | the server's UUID; the data directory's UUID and block size |
 * | `data/*.data`, `data/*.metadata` | blocks in containers |
 * | `tablet-meta/ID`, `consensus-meta/ID`, `wals/ID/wal-000000001` | per tablet: superblock, Raft configuration, log with one operation |
 */
import { concatBytes, toHex } from "@cfile/bytes";
import type { ByteDirectory, ByteSource } from "@cfile/io";
import { type MessageWriter, messageBytes } from "@cfile/protobuf/write";
import type {
  BlockIdPB,
  ColumnDataPB,
  DeltaDataPB,
  RaftConfigPB,
  RowSetDataPB,
  TabletSuperBlockPB,
} from "../generated/decode.js";
import {
  encodeConsensusMetadataPB,
  encodeDirInstanceMetadataPB,
  encodeInstanceMetadataPB,
  encodeTabletSuperBlockPB,
} from "../generated/encode.js";
import { containerHeader, containerRecord } from "../load/container-record.js";
import { ContainerWriter } from "../load/container-writer.js";
import type { OpenFolder } from "../load/new-blocks.js";
import { type FirstOperation, newLogSegment } from "./new-log-segment.js";
import type { RestoredRowSet } from "./whole-replica.js";

/** First records of metadata files, which describe their messages for `kudu pbc`. */
export interface Descriptions {
  /** The record of superblock files, which also describes journals and instance files. */
  readonly superblock: Uint8Array;
  readonly consensus: Uint8Array;
}

export interface NewServerOptions {
  /** Opens a folder of the new directories by its path in them. */
  readonly openFolder: OpenFolder;
  /** The root of the server. */
  readonly root: string;
  readonly descriptions: Descriptions;
  /** Block size of the file system, in bytes. */
  readonly blockSize: number;
}

/** A tablet to write; its row sets are already written. */
export interface NewTablet {
  readonly superblock: Omit<TabletSuperBlockPB, "dataDirGroup" | "orphanedBlocks" | "txnMetadata">;
  readonly config: RaftConfigPB;
  /** The only entry of its log. */
  readonly operation: FirstOperation;
}

/** Size in bytes above which a container gets no further tablets. */
const FULL_CONTAINER = 1024 * 1024 * 1024;

export class NewServer {
  readonly uuid = randomUuid();
  private readonly options: NewServerOptions;
  private readonly dataUuid = randomUuid();
  private readonly ids = { last: 0n };
  private container: ContainerWriter | undefined;

  constructor(options: NewServerOptions) {
    this.options = options;
  }

  /** Begins a new container if the last one is full. @returns the number of blocks in it before those of the tablet */
  async beginTablet(): Promise<number> {
    if (this.container !== undefined && this.container.size > FULL_CONTAINER) {
      await this.container.finish();
      this.container = undefined;
    }
    return this.container?.blocks ?? 0;
  }

  /** Forgets blocks of an incomplete tablet. @param start the result of `beginTablet` */
  dropBlocksFrom(start: number): void {
    this.container?.dropBlocksFrom(start);
  }

  /** The container for the next row set. */
  async blocks(): Promise<ContainerWriter> {
    const { blockSize: alignment, descriptions } = this.options;
    this.container ??= new ContainerWriter({
      directory: await this.open("data"),
      ids: this.ids,
      description: descriptions.superblock,
      alignment,
    });
    return this.container;
  }

  /** @param createdAt when its blocks were written, in microseconds since 1970 */
  async copyRowSet(rowSet: RestoredRowSet, createdAt: bigint): Promise<RowSetDataPB> {
    const { columns, adhocIndex, redo = [], undo = [], bloom } = rowSet.files;
    const blocks = await this.blocks();
    const copy = (source: ByteSource): Promise<BlockIdPB> => blocks.copy(source, createdAt);
    const columnBlocks: ColumnDataPB[] = [];
    for (const [columnId, source] of [...columns].sort(([left], [right]) => left - right)) {
      columnBlocks.push({ columnId, block: await copy(source) });
    }
    const undoDeltas: DeltaDataPB[] = [];
    for (const source of undo) {
      undoDeltas.push({ block: await copy(source) });
    }
    const redoDeltas: DeltaDataPB[] = [];
    for (const source of redo) {
      redoDeltas.push({ block: await copy(source) });
    }
    return {
      id: rowSet.id,
      lastDurableDmsId: rowSet.lastDurableDmsId,
      columns: columnBlocks,
      redoDeltas,
      undoDeltas,
      bloomBlock: bloom && (await copy(bloom)),
      adhocIndexBlock: adhocIndex && (await copy(adhocIndex)),
      liveRowCount: rowSet.liveRows,
    };
  }

  async writeTablet({ superblock, config, operation }: NewTablet): Promise<void> {
    const { tabletId: id } = superblock;
    const { descriptions } = this.options;
    await this.writeMetadata(`tablet-meta/${id}`, "kudu.tablet.TabletSuperBlockPB", descriptions.superblock, {
      encode: encodeTabletSuperBlockPB,
      message: {
        ...superblock,
        dataDirGroup: { uuids: [this.dataUuid] },
        orphanedBlocks: [],
        txnMetadata: [],
      },
    });
    await this.writeMetadata(
      `consensus-meta/${id}`,
      "kudu.consensus.ConsensusMetadataPB",
      descriptions.consensus,
      {
        encode: encodeConsensusMetadataPB,
        message: { committedConfig: config, currentTerm: operation.id.term },
      },
    );
    await this.write(`wals/${id}/wal-000000001`, newLogSegment(superblock, operation));
  }

  /** Completes the directories. */
  async finish(): Promise<void> {
    await this.container?.finish();
    const { descriptions, blockSize } = this.options;
    const { superblock: description } = descriptions;
    await this.writeMetadata("data/block_manager_instance", "kudu.DirInstanceMetadataPB", description, {
      encode: encodeDirInstanceMetadataPB,
      message: {
        dirSet: { uuid: this.dataUuid, allUuids: [this.dataUuid] },
        dirType: "log",
        filesystemBlockSizeBytes: blockSize,
      },
    });
    const time = new Date().toISOString().slice(0, 19).replace("T", " ");
    await this.writeMetadata("instance", "kudu.InstanceMetadataPB", description, {
      encode: encodeInstanceMetadataPB,
      message: { uuid: this.uuid, formatStamp: `Formatted at ${time} by cfile kudu restore`, tenants: [] },
    });
    for (const folder of ["tablet-meta", "consensus-meta", "wals"]) {
      await this.open(folder);
    }
  }

  async abort(): Promise<void> {
    await this.container?.abort();
  }

  private async writeMetadata<T>(
    path: string,
    type: string,
    description: Uint8Array,
    { encode, message }: { encode: (writer: MessageWriter, message: T) => void; message: T },
  ): Promise<void> {
    const record = containerRecord(messageBytes(encode, message));
    await this.write(path, concatBytes([containerHeader(description, type), record]));
  }

  private async write(path: string, bytes: Uint8Array): Promise<void> {
    const end = path.lastIndexOf("/");
    const directory = await this.open(path.slice(0, Math.max(0, end)));
    const sink = await directory.createSink(path.slice(end + 1));
    await sink.write(bytes);
    await sink.close();
    await directory.sync();
  }

  private open(folder: string): Promise<ByteDirectory> {
    const { openFolder, root } = this.options;
    return openFolder(folder === "" ? root : `${root}/${folder}`);
  }
}

function randomUuid(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)));
}
