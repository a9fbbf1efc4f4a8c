/** Writes a CFile from batches; a file is written completely or not at all. */
import { compareBytes, invalidArgument, utf8Bytes } from "@cfile/bytes";
import type { ColumnBatch, FixedValues, InputCell } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { encodeVectorKey, findDescent } from "@cfile/encodings/keys";
import { loadBlockBuilder } from "@cfile/encodings/write";
import type { ByteSink } from "@cfile/io";
import { MAX_ROWS } from "../file/footer.js";
import { checkBatch } from "./batch-check.js";
import { CFileContainerWriter, type WrittenFile } from "./container-writer.js";
import { DataBlockBuilder } from "./data-block-builder.js";
import { RowUnits } from "./row-units.js";
import type { ResolvedWriterOptions, WriterOptions } from "./writer-options.js";

interface WriterStages {
  readonly units: RowUnits;
  readonly blocks: DataBlockBuilder;
}

/** Rows to append: a column batch, a plain array of cells, or a typed array of the column's type. */
export type AppendInput = ColumnBatch | readonly InputCell[] | FixedValues;

/**
 * Writes one column. The file appears under its name when `finish` succeeds. After any error the write is aborted: the writer
 * accepts nothing more and leaves nothing behind.
 */
export class CFileWriter {
  readonly options: ResolvedWriterOptions;
  private readonly container: CFileContainerWriter;
  /** Loaded by the first step. */
  private loading: Promise<WriterStages> | undefined;
  private stages: WriterStages | undefined;
  private rows = 0;
  /** Key of the last value appended. */
  private lastKey: Uint8Array = new Uint8Array(0);

  /** @throws {CFileError} `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` for invalid options or combinations of them */
  constructor(sink: ByteSink, options: WriterOptions) {
    this.container = new CFileContainerWriter(sink, options);
    this.options = this.container.options;
  }

  /** Rows appended so far. */
  get rowCount(): number {
    return this.rows;
  }

  /** Adds a metadata pair to the footer; text is stored as UTF-8. */
  addMetadata(key: string, value: Uint8Array | string): void {
    this.container.addMetadata(key, typeof value === "string" ? utf8Bytes(value) : value);
  }

  /**
   * Appends rows. Their arrays may be reused once the promise is settled.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` naming the row and the reason: a value or batch does not fit the column, or values
   *   descend under a value index; `E_IO`: the sink failed. The write is aborted.
   */
  async append(rows: AppendInput): Promise<void> {
    // Once the encoder is loaded, a step waits only for the sink.
    this.stages ??= await this.load();
    const { units } = this.stages;
    await this.container.run(() => {
      const batch = "kind" in rows ? rows : batchFromValues(this.options, rows, this.rows);
      this.checkRows(batch);
      this.rows += batch.length;
      units.push(batch);
    });
  }

  /**
   * Writes the last block, indexes, dictionary and footer, then closes the sink.
   *
   * @throws {CFileError} `E_IO` when the sink fails, `E_INVALID_ARGUMENT` after `finish` or an error; no file is left behind
   */
  async finish(): Promise<WrittenFile> {
    const { blocks, units } = await this.load();
    return this.container.finish(() => {
      units.flush();
      blocks.finish();
      return { rows: this.rows, dictionary: blocks.finishDictionary() };
    });
  }

  /** Aborts the write and leaves nothing behind; does nothing after `finish`. */
  abort(reason?: unknown): Promise<void> {
    return this.container.abort(reason);
  }

  /** Calls `abort` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }

  /** Loads the encoder once. Steps that begin before it is loaded await the same promise, which keeps them in order. */
  private load(): Promise<WriterStages> {
    this.loading ??= this.loadStages();
    return this.loading;
  }

  private async loadStages(): Promise<WriterStages> {
    const { container, options } = this;
    const create = await loadBlockBuilder(options.type, options.encoding, options.encodings);
    const blocks = new DataBlockBuilder(options, create, (block) => container.appendRawBlock(block));
    return { blocks, units: new RowUnits(options.batchRows, blocks) };
  }

  private checkRows(batch: ColumnBatch): void {
    if (batch.type !== this.options.type) {
      const reason = `batch of ${batch.type} for a column of ${this.options.type}`;
      throw invalidArgument(reason, { field: "batch" });
    }
    checkBatch(batch, this.options, this.rows);
    if (this.rows + batch.length > MAX_ROWS) {
      const actual = this.rows + batch.length;
      throw invalidArgument(`too many rows (at most ${MAX_ROWS}, found ${actual})`, {
        field: "batch",
        actual,
      });
    }
    const isOrdered = this.options.validx && this.options.indexKeys === undefined;
    if (isOrdered && batch.kind !== "array" && batch.length > 0) {
      const first = encodeVectorKey(batch, 0);
      const descent =
        this.rows > 0 && compareBytes(first, this.lastKey) < 0 ? 0 : findDescent(batch, 0, batch.length);
      if (descent !== undefined) {
        const actual = this.rows + descent;
        const reason = `row ${actual} is less than the row before it; a value index requires sorted rows`;
        throw invalidArgument(reason, { field: "validx", actual });
      }
      this.lastKey = encodeVectorKey(batch, batch.length - 1);
    }
  }
}
