/**
 * Writes the metadata of rebuilt tablets into a new root, which is read together with the data directories
 * (docs/spec/kudu-data-dir.md#1-directory-layout):
 *
 * | file | content |
 * | --- | --- |
 * | `instance` | the server's identity, copied if a root still has it |
 * | `tablet-meta/ID` | the superblock of each tablet |
 */
import { concatBytes, invalidArgument, toHex } from "@cfile/bytes";
import { type MessageWriter, messageBytes } from "@cfile/protobuf/write";
import type { RowSetDataPB, TabletSuperBlockPB } from "../generated/decode.js";
import {
  encodeContainerSupHeaderPB,
  encodeInstanceMetadataPB,
  encodeTabletSuperBlockPB,
} from "../generated/encode.js";
import { containerHeader, containerRecord } from "../load/container-record.js";
import type { OpenFolder } from "../load/new-blocks.js";
import type { KuduDir } from "../read/kudu-dir.js";
import type { RebuiltDir, RebuiltRowSet, RebuiltTablet } from "./rebuild-dir.js";

/** Options of `writeRebuiltMetadata`. */
export interface WriteMetadataOptions {
  /** Opens a folder of the new root by its path in it; the root is the empty path. */
  readonly openFolder: OpenFolder;
  /** Whether to write tablets without the delta files that may belong to them or to others. Default `false`: they are not written. */
  readonly withoutPossibleDeltas?: boolean | undefined;
  /** A descriptor set for Kudu's tools, from a file of the same server version. Default: none. */
  readonly description?: Uint8Array | undefined;
}

/** The tablets that were written, and those that are not certain enough. */
export interface WrittenMetadata {
  readonly written: readonly RebuiltTablet[];
  readonly refused: readonly RebuiltTablet[];
}

const READY = 1;
/** Writes of a lost log are never applied. */
const ALL_FLUSHED = (1n << 63n) - 1n;

/** See `on-demand.ts`. */
export async function writeRebuiltMetadata(
  dir: KuduDir,
  rebuilt: RebuiltDir,
  options: WriteMetadataOptions,
): Promise<WrittenMetadata> {
  const { withoutPossibleDeltas = false, description = emptyDescription() } = options;
  const isWritten = ({ doubts, certainUntil }: RebuiltTablet): boolean =>
    doubts.length === 0 && (certainUntil === undefined || withoutPossibleDeltas);
  const written = rebuilt.tablets.filter(isWritten);
  if (written.length === 0) {
    throw invalidArgument("no tablet is certain enough to be written", { field: "tablets" });
  }
  const root = await options.openFolder("");
  const write = async <T>(
    folder: typeof root,
    name: string,
    type: string,
    encode: (writer: MessageWriter, message: T) => void,
    message: T,
  ): Promise<void> => {
    const sink = await folder.createSink(name);
    const record = containerRecord(messageBytes(encode, message));
    await sink.write(concatBytes([containerHeader(description, type), record]));
    await sink.close();
    await folder.sync();
  };
  const { instance } = dir.roots;
  await write(root, "instance", "kudu.InstanceMetadataPB", encodeInstanceMetadataPB, {
    uuid: instance?.uuid ?? toHex(crypto.getRandomValues(new Uint8Array(16))),
    formatStamp: instance?.formatStamp ?? "Rebuilt by cfile kudu rebuild",
    serverKey: instance?.serverKey?.key,
    serverKeyIv: instance?.serverKey?.iv,
    serverKeyVersion: instance?.serverKey?.version,
    tenants: [],
  });
  const folder = await options.openFolder("tablet-meta");
  const type = "kudu.tablet.TabletSuperBlockPB";
  for (const tablet of written) {
    await write(folder, tablet.id, type, encodeTabletSuperBlockPB, superblockOf(tablet, dir));
  }
  return { written, refused: rebuilt.tablets.filter((tablet) => !isWritten(tablet)) };
}

function superblockOf({ id, table, rowSets }: RebuiltTablet, dir: KuduDir): TabletSuperBlockPB {
  const { message, tablets } = table;
  const known = tablets.find((tablet) => tablet.id === id);
  return {
    tableId: table.id,
    tabletId: id,
    tableName: table.name,
    lastDurableMrsId: ALL_FLUSHED,
    rowsets: rowSets.map(rowSetMessage),
    schema: message.schema,
    schemaVersion: message.version,
    tabletDataState: READY,
    orphanedBlocks: [],
    partition: known?.message ?? {
      hashBuckets: [],
      partitionKeyStart: new Uint8Array(0),
      partitionKeyEnd: new Uint8Array(0),
    },
    partitionSchema: message.partitionSchema ?? { hashSchema: [], customHashSchemaRanges: [] },
    dataDirGroup: { uuids: dir.roots.dataFolders.flatMap(({ instance }) => instance?.uuid ?? []) },
    supportsLiveRowCount: false,
    extraConfig: message.extraConfig,
    txnMetadata: [],
  };
}

function rowSetMessage({ blocks }: RebuiltRowSet, index: number): RowSetDataPB {
  const { columns, redo, undo, bloom, adhocIndex } = blocks;
  const block = (id: bigint) => ({ id });
  return {
    id: BigInt(index),
    lastDurableDmsId: ALL_FLUSHED,
    columns: [...columns].map(([columnId, id]) => ({ columnId, block: block(id) })),
    redoDeltas: redo.map((id) => ({ block: block(id) })),
    undoDeltas: undo.map((id) => ({ block: block(id) })),
    bloomBlock: bloom === undefined ? undefined : block(bloom),
    adhocIndexBlock: adhocIndex === undefined ? undefined : block(adhocIndex),
  };
}

/** Readers do not need the descriptor set; `kudu pbc` does. */
function emptyDescription(): Uint8Array {
  return messageBytes(encodeContainerSupHeaderPB, { protos: new Uint8Array(0), pbType: "" });
}
