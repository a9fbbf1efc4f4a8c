/** Writing a CFile: batches in, one file out, complete or not at all. */
import { compareBytes, invalidArgument } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { findDescent } from "@cfile/encodings/conditions";
import { encodeVectorKey } from "@cfile/encodings/keys";
import type { ByteSink } from "@cfile/io";
import { MAX_ROWS } from "../file/footer.js";
import { RowUnits } from "../read/row-units.js";
import { checkBatch } from "./batch-check.js";
import { CFileContainerWriter, type WrittenFile } from "./container-writer.js";
import { DataBlockBuilder } from "./data-block-builder.js";
import type { ResolvedWriterOptions, WriterOptions } from "./writer-options.js";

/**
 * Writes one column. After any error the sink is aborted and the writer takes nothing more; a writer closed
 * before `finish` leaves nothing behind.
 */
export class CFileWriter {
  readonly options: ResolvedWriterOptions;
  private readonly container: CFileContainerWriter;
  private readonly units: RowUnits;
  private readonly blocks: DataBlockBuilder;
  private rows = 0;
  /** Key of the last value handed in. */
  private lastKey: Uint8Array = new Uint8Array(0);

  /** @throws CFileError `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` for options no CFile can have */
  constructor(sink: ByteSink, options: WriterOptions) {
    const container = new CFileContainerWriter(sink, options);
    this.container = container;
    this.options = container.options;
    this.blocks = new DataBlockBuilder(this.options, (block) => container.appendRawBlock(block));
    this.units = new RowUnits(this.options.batchRows, this.blocks);
  }

  /** Rows appended so far. */
  get rowCount(): number {
    return this.rows;
  }

  /** Adds a metadata pair to the footer. */
  addMetadata(key: string, value: Uint8Array): void {
    this.container.addMetadata(key, value);
  }

  /**
   * Appends the batch's rows. Its arrays may be used again once the promise is settled.
   *
   * @throws CFileError `E_INVALID_ARGUMENT`: the batch does not fit the column, or values descend under a value
   *   index; `E_IO`: the sink failed
   */
  append(batch: ColumnBatch): Promise<void> {
    return this.container.run(() => {
      this.checkRows(batch);
      this.rows += batch.length;
      this.units.push(batch);
    });
  }

  /** Writes what is left: last block, indexes, dictionary, footer; then closes the sink. */
  finish(): Promise<WrittenFile> {
    return this.container.finish(() => {
      this.units.flush();
      this.blocks.finish();
      return { rows: this.rows, dictionary: this.blocks.finishDictionary() };
    });
  }

  /** Gives the file up: nothing stays behind. Does nothing after `finish`. */
  abort(reason?: unknown): Promise<void> {
    return this.container.abort(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }

  private checkRows(batch: ColumnBatch): void {
    if (batch.type !== this.options.type) {
      throw invalidArgument(`a batch of ${batch.type} for a column of ${this.options.type}`, {
        field: "batch",
      });
    }
    checkBatch(batch, this.options, this.rows);
    if (this.rows + batch.length > MAX_ROWS) {
      throw invalidArgument(`a CFile holds at most ${MAX_ROWS} rows`, {
        field: "batch",
        actual: this.rows + batch.length,
      });
    }
    const isOrdered = this.options.validx && this.options.indexKeys === undefined;
    if (isOrdered && batch.kind !== "array" && batch.length > 0) {
      const first = encodeVectorKey(batch, 0);
      const descent =
        this.rows > 0 && compareBytes(first, this.lastKey) < 0 ? 0 : findDescent(batch, 0, batch.length);
      if (descent !== undefined) {
        throw invalidArgument(
          `row ${this.rows + descent} is less than the row before it; a value index needs sorted rows`,
          { field: "validx", actual: this.rows + descent },
        );
      }
      this.lastKey = encodeVectorKey(batch, batch.length - 1);
    }
  }
}
