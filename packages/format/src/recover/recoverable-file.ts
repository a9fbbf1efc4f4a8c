/** A damaged file after the search in it: what was found, and its rows. */
import { CFileError, isCFileError } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { BlockWrapping } from "../blocks/block-wrapper.js";
import type { MetadataPair } from "../file/metadata.js";
import { ValueOrder } from "../verify/verify-order.js";
import type { FileFrame } from "./file-frame.js";
import type { BlockEntry, RecoveryLedger } from "./rows/ledger.js";
import type { SearchedColumn } from "./search/block-probe.js";
import type { DamagedSource } from "./search/damaged-source.js";

/** A damaged file that was looked through: what can be read of it, and the ledger. */
export class RecoverableFile {
  readonly ledger: RecoveryLedger;
  readonly headerMetadata: readonly MetadataPair[];
  readonly footerMetadata: readonly MetadataPair[];
  /** Which indexes the file had; the positional one where nobody can tell. */
  readonly indexes: { readonly posidx: boolean; readonly validx: boolean };
  private readonly file: DamagedSource;
  private readonly wrapping: BlockWrapping;
  private readonly column: SearchedColumn;

  /** @internal Comes from {@link scanDamagedCFile}. */
  constructor(
    ledger: RecoveryLedger,
    frame: FileFrame,
    file: DamagedSource,
    wrapping: BlockWrapping,
    column: SearchedColumn,
  ) {
    const footer = frame.footer?.footer;
    this.ledger = ledger;
    this.headerMetadata = frame.header?.header.metadata ?? [];
    this.footerMetadata = footer?.metadata ?? [];
    this.indexes = {
      posidx: footer === undefined || footer.posidx !== undefined,
      validx: footer?.validx !== undefined,
    };
    this.file = file;
    this.wrapping = wrapping;
    this.column = column;
  }

  /** Whether the values of the kept rows ascend, as a value index needs them to. */
  async isOrdered(): Promise<boolean> {
    const order = new ValueOrder(this.column.type);
    try {
      for await (const { batch } of this.entries()) {
        if (batch !== undefined) {
          order.check(batch, undefined);
        }
      }
      return true;
    } catch (error) {
      if (isCFileError(error, "E_CORRUPT") && error.field === "value order") {
        return false;
      }
      throw error;
    }
  }

  /** The ledger's entries in row order, those that were kept with their rows. */
  async *entries(batchRows = 131072): AsyncGenerator<{ entry: BlockEntry; batch?: ColumnBatch }, void, void> {
    for (const entry of this.ledger.blocks) {
      this.file.signal?.throwIfAborted();
      if (entry.state === "lost" || entry.block === undefined) {
        yield { entry };
        continue;
      }
      const bytes = await this.file.block(entry.block, this.wrapping);
      const block = this.column.openContent(bytes, this.column, this.file.limits);
      if (block.firstRow !== entry.firstRow || block.rows !== entry.rows) {
        throw new CFileError("E_SOURCE_CHANGED", "the block is not the one that was found before", {
          path: this.file.path,
          block: entry.block,
        });
      }
      for (let row = 0; row < block.rows; row += batchRows) {
        yield { entry, batch: block.decode(row, Math.min(block.rows, row + batchRows)) };
      }
    }
  }
}
