import { CFileError } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { BlockWrapping } from "../blocks/block-wrapper.js";
import type { MetadataPair } from "../file/metadata.js";
import { ValueOrder } from "../verify/verify-order.js";
import type { FileFrame } from "./file-frame.js";
import type { BlockEntry, RecoveryLedger } from "./rows/ledger.js";
import type { SearchedColumn } from "./search/block-probe.js";
import type { DamagedSource } from "./search/damaged-source.js";

/** A damaged file after the scan: its readable rows and the ledger. */
export class RecoverableFile {
  readonly ledger: RecoveryLedger;
  readonly headerMetadata: readonly MetadataPair[];
  readonly footerMetadata: readonly MetadataPair[];
  /** The indexes that the file had; only the positional one if the footer is lost. */
  readonly indexes: { readonly posidx: boolean; readonly validx: boolean };
  private readonly file: DamagedSource;
  private readonly wrapping: BlockWrapping;
  private readonly column: SearchedColumn;

  /** @internal Use {@link scanDamagedCFile}. */
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

  /** Whether the values of the kept rows ascend, as a value index requires. @throws {CFileError} as {@link entries} */
  async isOrdered(): Promise<boolean> {
    const order = new ValueOrder(this.column.type);
    for await (const { batch } of this.entries()) {
      if (batch !== undefined && order.findDescent(batch) !== undefined) {
        return false;
      }
    }
    return true;
  }

  /**
   * Yields the ledger's entries in row order; kept entries with their rows, at most `batchRows` at a time.
   *
   * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED` when the source fails or has changed since the scan
   */
  async *entries(batchRows = 131072): AsyncGenerator<{ entry: BlockEntry; batch?: ColumnBatch }, void, void> {
    const { path, limits, signal } = this.file;
    for (const entry of this.ledger.blocks) {
      signal?.throwIfAborted();
      const location = entry.block;
      if (entry.state === "lost" || location === undefined) {
        yield { entry };
        continue;
      }
      const bytes = await this.file.block(location, this.wrapping);
      const block = this.column.openContent(bytes, this.column, limits);
      if (block.firstRow !== entry.firstRow || block.rows !== entry.rows) {
        throw new CFileError("E_SOURCE_CHANGED", "block changed since the scan", { path, block: location });
      }
      for (let row = 0; row < block.rows; row += batchRows) {
        yield { entry, batch: block.decode(row, Math.min(block.rows, row + batchRows)) };
      }
    }
  }
}
