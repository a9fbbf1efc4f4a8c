/** The rows that one tablet gets. */
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

/** Field of the superblock. */
const SUPERBLOCK_ROW_SETS = 6;

export class TabletLoad {
  readonly tablet: KuduTablet;
  readonly rowSets: RowSetDataPB[] = [];
  rows = 0;
  private readonly timestamp: bigint;
  private readonly file: SuperblockFile;
  private readonly blocks: NewBlocks;
  private readonly present: PresentKeys;
  private current: LoadedRowSet | undefined;
  private nextRowSet: bigint;

  private constructor(
    tablet: KuduTablet,
    file: SuperblockFile,
    blocks: NewBlocks,
    timestamp: bigint,
    nextRowSet: bigint,
  ) {
    this.tablet = tablet;
    this.file = file;
    this.blocks = blocks;
    this.timestamp = timestamp;
    this.present = new PresentKeys(tablet);
    this.nextRowSet = nextRowSet;
  }

  static async begin(
    tablet: KuduTablet,
    file: SuperblockFile,
    blocks: NewBlocks,
    timestamp: bigint,
  ): Promise<TabletLoad> {
    const { operations = [] } = (await tablet.unflushed()) ?? {};
    const ids = [
      ...tablet.rowSets.map(({ id }) => id),
      ...operations.flatMap(({ stores = [] }) => stores.map(({ rowSetId }) => rowSetId)),
    ];
    const largest = ids.reduce((left, right) => (right > left ? right : left), -1n);
    return new TabletLoad(tablet, file, blocks, timestamp, largest + 1n);
  }

  async append(batches: readonly ColumnBatch[]): Promise<void> {
    const { schema } = this.tablet;
    const keys = encodeRowKeys(batches.slice(0, schema.columns.filter(({ isKey }) => isKey).length));
    for (let row = 0; row < keys.length; row++) {
      const key = keys.data.subarray(keys.offsets[row] as number, keys.offsets[row + 1] as number);
      if (await this.present.has(key)) {
        throw invalidArgument(
          `row ${this.rows + row} of those of tablet ${this.tablet.id} has a key that is there already`,
          { field: "key" },
        );
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

  /** Puts a superblock in the place of the one that is there which names the new row sets, too. */
  async commit(openFolder: OpenFolder): Promise<void> {
    // A field that repeats goes on where it stops, and fields that are not known here stay.
    const added = new MessageWriter();
    for (const rowSet of this.rowSets) {
      added.message(SUPERBLOCK_ROW_SETS, encodeRowSetDataPB, rowSet);
    }
    const record = concatBytes([this.file.record, added.finish()]);
    const folder = await openFolder(this.file.folder);
    const sink = await folder.createSink(this.tablet.id);
    await sink.write(this.file.header);
    await sink.write(containerRecord(record));
    await sink.close();
    await folder.sync();
  }

  async abort(reason: unknown): Promise<void> {
    await this.current?.abort(reason);
    await this.present.close();
  }

  private async finishRowSet(): Promise<void> {
    const { current, timestamp, blocks } = this;
    this.current = undefined;
    if (current !== undefined) {
      const { supportsLiveRowCount } = this.tablet.superblock;
      this.rowSets.push(await current.finish(this.nextRowSet++, timestamp, blocks, supportsLiveRowCount));
    }
  }
}
