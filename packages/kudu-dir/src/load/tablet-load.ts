/** The rows that a bulk load adds to one tablet. */
import { concatBytes, invalidArgument } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { MessageWriter } from "@cfile/protobuf/write";
import { encodeRowKeys } from "@cfile/rowset";
import type { RowSetDataPB } from "../generated/decode.js";
import { encodeRowSetDataPB } from "../generated/encode.js";
import type { KuduTablet } from "../read/kudu-tablet.js";
import { containerRecord } from "./container-record.js";
import { LoadedRowSet } from "./loaded-row-set.js";
import type { NewBlocks, OpenFolder } from "./new-blocks.js";
import { PresentKeys } from "./present-keys.js";
import type { SuperblockFile } from "./superblock-file.js";

/** Field `rowsets` of the superblock. */
const SUPERBLOCK_ROW_SETS = 6;

interface LoadTarget {
  readonly tablet: KuduTablet;
  readonly file: SuperblockFile;
  readonly blocks: NewBlocks;
  readonly timestamp: bigint;
}

export class TabletLoad {
  readonly tablet: KuduTablet;
  readonly rowSets: RowSetDataPB[] = [];
  rows = 0;
  private readonly target: LoadTarget;
  private readonly present: PresentKeys;
  private current: LoadedRowSet | undefined;
  private nextRowSet: bigint;

  private constructor(target: LoadTarget, nextRowSet: bigint) {
    this.tablet = target.tablet;
    this.target = target;
    this.present = new PresentKeys(target.tablet);
    this.nextRowSet = nextRowSet;
  }

  static async begin(
    tablet: KuduTablet,
    file: SuperblockFile,
    blocks: NewBlocks,
    timestamp: bigint,
  ): Promise<TabletLoad> {
    const { operations = [] } = (await tablet.unflushed()) ?? {};
    const logged = operations.flatMap(({ stores = [] }) => stores.map(({ rowSetId }) => rowSetId));
    const ids = [...tablet.rowSets.map(({ id }) => id), ...logged];
    const largest = ids.reduce((left, right) => (right > left ? right : left), -1n);
    return new TabletLoad({ tablet, file, blocks, timestamp }, largest + 1n);
  }

  /** @throws {CFileError} `E_INVALID_ARGUMENT` if the tablet already has one of the keys */
  async append(batches: readonly ColumnBatch[]): Promise<void> {
    const { schema, id } = this.tablet;
    const keys = encodeRowKeys(batches.slice(0, schema.columns.filter(({ isKey }) => isKey).length));
    for (let row = 0; row < keys.length; row++) {
      if (await this.present.has(keys.data.subarray(keys.offsets[row], keys.offsets[row + 1]))) {
        const reason = `the key of row ${this.rows + row} for tablet ${id} already exists`;
        throw invalidArgument(reason, { field: "key" });
      }
    }
    this.current ??= new LoadedRowSet(schema);
    await this.current.append(batches);
    this.rows += keys.length;
    if (this.current.isFull) {
      await this.finishRowSet();
    }
  }

  async finish(): Promise<void> {
    await this.finishRowSet();
    await this.present.close();
  }

  /** Replaces the superblock with one that also names the new row sets. */
  async commit(openFolder: OpenFolder): Promise<void> {
    const { file } = this.target;
    // Appended entries extend a repeated field, and unknown fields stay.
    const added = new MessageWriter();
    for (const rowSet of this.rowSets) {
      added.message(SUPERBLOCK_ROW_SETS, encodeRowSetDataPB, rowSet);
    }
    const folder = await openFolder(file.folder);
    const sink = await folder.createSink(this.tablet.id);
    await sink.write(file.header);
    await sink.write(containerRecord(concatBytes([file.record, added.finish()])));
    await sink.close();
    await folder.sync();
  }

  async abort(reason: unknown): Promise<void> {
    await this.current?.abort(reason);
    await this.present.close();
  }

  private async finishRowSet(): Promise<void> {
    const { current } = this;
    const { timestamp, blocks } = this.target;
    this.current = undefined;
    if (current !== undefined) {
      const { supportsLiveRowCount } = this.tablet.superblock;
      this.rowSets.push(await current.finish(this.nextRowSet++, timestamp, blocks, supportsLiveRowCount));
    }
  }
}
