/** Vectors, record batches and IPC of the library `apache-arrow`. */
import { CFileError, invalidArgument } from "@cfile/bytes";
import type { BinaryVector, ColumnBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { TableRows } from "@cfile/format";
import type { Data, DataType, Field, RecordBatch, Schema, Vector } from "apache-arrow";
import { type ApacheLibrary, ApacheTypes } from "./apache-types.js";
import { type ArrowBuffers, batchOfBuffers, decimalWords, indices, onlyChunk } from "./arrow-buffers.js";
import { type ArrowColumn, arrowType, columnOf, neutralType, TYPE_KEY } from "./arrow-type.js";
import { loadLibrary, withLibrary } from "./load-library.js";
import { batchesOfRows, isCoded, type TableOptions } from "./row-columns.js";

/** The validity bitmap of a vector without nulls. */
const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);

/** A table that was read: its columns and its rows. */
export interface ArrowRows extends TableRows {
  readonly rows: AsyncGenerator<TableBatch, void, void>;
}

/** Record batches of one schema, such as a `Table` of the library. */
export interface RecordBatches {
  readonly schema: Schema;
  readonly batches: Iterable<RecordBatch> | AsyncIterable<RecordBatch>;
}

/** How IPC is written. */
export interface IpcOptions extends TableOptions {
  /** Default `"stream"`. */
  readonly format?: "stream" | "file" | undefined;
}

/**
 * Conversion to and from `apache-arrow`.
 * @param library default: the installed one
 * @throws {CFileError} `E_UNSUPPORTED` when it is not installed
 */
export async function apacheArrow(library?: ApacheLibrary): Promise<ApacheArrow> {
  return new ApacheArrow(library ?? (await loadLibrary("apache-arrow", () => import("apache-arrow"))));
}

/** Batches of CFiles and row sets as vectors, record batches, tables and IPC, and back. Equal dictionaries share a vector. */
export class ApacheArrow {
  private readonly arrow: ApacheLibrary;
  /** Vectors of dictionaries: batches with the same dictionary share one. */
  private readonly words = new WeakMap<BinaryVector, Vector>();
  private readonly types: ApacheTypes;

  /** @internal */
  constructor(arrow: ApacheLibrary) {
    this.arrow = arrow;
    this.types = new ApacheTypes(arrow);
  }

  /** A batch as a vector over the same memory. @throws {CFileError} `E_INVALID_ARGUMENT` for invalid decimal digits */
  vector(
    batch: ColumnBatch,
    column: Pick<ArrowColumn, "precision" | "scale"> & { name?: string } = {},
  ): Vector {
    const asDictionary =
      batch.kind === "array" ? batch.child.kind === "dictionary" : batch.kind === "dictionary";
    const { name = "", ...digits } = column;
    const array = batch.kind === "array";
    const type = arrowType({ ...digits, type: batch.type, array }, asDictionary);
    return new this.arrow.Vector([this.data(batch, this.types.of(type, name))]);
  }

  /**
   * A vector as batches over the same memory, one per part.
   * @param column default: a nullable column of the type
   * @throws {CFileError} `E_UNSUPPORTED` for a type that a CFile cannot store; `E_INVALID_ARGUMENT` for invalid buffers
   */
  batches(vector: Vector, column?: ArrowColumn): ColumnBatch[] {
    const own = column ?? columnOf("vector", neutralType(vector.type), true, undefined);
    let firstRow = 0;
    return vector.data.map((data) => {
      const batch = batchOfBuffers(this.buffers(data), own, firstRow);
      firstRow += batch.length;
      return batch;
    });
  }

  /** The schema of a table, with the CFile types in the metadata of its fields. */
  schema(table: Pick<TableRows, "columns">, options: TableOptions = {}): Schema {
    const { Schema, Field } = this.arrow;
    return new Schema(
      table.columns.map((column) => {
        const type = this.types.of(arrowType(column, isCoded(column, options)), column.name);
        return new Field(column.name, type, column.nullable, new Map([[TYPE_KEY, column.type]]));
      }),
    );
  }

  /** The columns of a schema. @throws {CFileError} `E_UNSUPPORTED` for a type that a CFile cannot store */
  columns(schema: Schema): ArrowColumn[] {
    return schema.fields.map((field: Field) =>
      columnOf(field.name, neutralType(field.type), field.nullable, field.metadata.get(TYPE_KEY)),
    );
  }

  /** A table as record batches over the same memory, except for strings expanded from dictionaries. */
  async *recordBatches(
    table: TableRows,
    options: TableOptions = {},
  ): AsyncGenerator<RecordBatch, void, void> {
    const schema = this.schema(table, options);
    const recordBatch = this.batchMaker(schema);
    for await (const rows of table.rows) {
      const children: Data[] = [];
      for (const batch of batchesOfRows(table, rows, options)) {
        const field = schema.fields[children.length];
        if (field === undefined || batch.length !== rows.length) {
          throw invalidArgument("a batch does not fit the table's columns or rows", { field: "columns" });
        }
        children.push(this.data(batch, field.type));
      }
      yield recordBatch(rows.length, children);
    }
  }

  /** The library's constructor copies the schema, so it is called once and all batches share that copy. */
  private batchMaker(schema: Schema): (length: number, children: Data[]) => RecordBatch {
    const { RecordBatch, Struct } = this.arrow;
    const empty = new RecordBatch(schema, undefined);
    const type = new Struct(empty.schema.fields);
    return (length, children) => {
      const batch: RecordBatch = Object.create(RecordBatch.prototype);
      const rows = { length, nullCount: 0, validity: undefined };
      const data = this.dataOf(rows, type, undefined, undefined, { children });
      return Object.assign(batch, empty, { data });
    };
  }

  /**
   * A table as Arrow IPC, in pieces as rows are read.
   * @throws {CFileError} `E_UNSUPPORTED` when a column changes its dictionary in a file
   */
  async *ipc(table: TableRows, options: IpcOptions = {}): AsyncGenerator<Uint8Array, void, void> {
    const { AsyncByteQueue, RecordBatchFileWriter, RecordBatchStreamWriter } = this.arrow;
    let pieces: Uint8Array[] = [];
    class Collector extends AsyncByteQueue {
      override write(piece: ArrayBufferLike | ArrayBufferView | string): void {
        pieces.push(piece instanceof Uint8Array ? piece : new Uint8Array(0));
      }
    }
    const writer = options.format === "file" ? new RecordBatchFileWriter() : new RecordBatchStreamWriter();
    writer.reset(new Collector(), this.schema(table, options));
    for await (const batch of this.recordBatches(table, options)) {
      try {
        writer.write(batch);
      } catch (cause) {
        const reason = "Arrow files cannot change a dictionary: write a stream, or expand dictionaries";
        throw new CFileError("E_UNSUPPORTED", reason, { field: "dictionaries", cause });
      }
      const ready = pieces;
      pieces = [];
      yield* ready;
    }
    writer.finish();
    yield* pieces;
  }

  /**
   * Reads IPC in either format. A stream is read batch by batch to its end; a file is in memory as a whole.
   * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` for damage, also while rows are read; `E_UNSUPPORTED` for types that a CFile
   *   cannot store
   */
  async readIpc(input: Uint8Array | AsyncIterable<Uint8Array>): Promise<ArrowRows> {
    const reader = await withLibrary("Arrow IPC", async () => {
      const { checkedIpc } = await import("./ipc/checked-ipc.js");
      const checked = await checkedIpc(input);
      // The library accepts both, but declares one overload for each.
      const opened = await this.arrow.RecordBatchReader.from(checked as AsyncIterable<Uint8Array>);
      await opened.open();
      return opened;
    });
    const schema: Schema | undefined = reader.schema;
    if (schema === undefined) {
      throw new CFileError("E_TRUNCATED", "Arrow IPC has no schema", { field: "Arrow IPC" });
    }
    return withLibrary("Arrow IPC", () => this.rows({ schema, batches: batchesOfReader(reader) }));
  }

  /**
   * Record batches as rows over the same memory: a `Table`, or a schema and a stream of its batches.
   * @throws {CFileError} `E_UNSUPPORTED` for types that a CFile cannot store; while rows are read, `E_INVALID_ARGUMENT` for
   *   invalid buffers
   */
  rows({ schema, batches }: RecordBatches): ArrowRows {
    const columns = this.columns(schema);
    return { columns, rows: this.rowsOf(batches, columns) };
  }

  private async *rowsOf(
    batches: RecordBatches["batches"],
    columns: readonly ArrowColumn[],
  ): ArrowRows["rows"] {
    const names = columns.map(({ name }) => name);
    let firstRow = 0;
    for await (const { data, numRows } of batches) {
      if (numRows === 0) {
        continue;
      }
      const own = columns.map((column, i) => {
        const child = data.children[i];
        if (child === undefined || child.length !== numRows) {
          const reason = `column ${column.name} has ${child?.length ?? 0} rows (expected ${numRows})`;
          throw invalidArgument(reason, { field: "columns" });
        }
        return batchOfBuffers(this.buffers(child), column, firstRow);
      });
      yield { length: numRows, firstRow, names, columns: own };
      firstRow += numRows;
    }
  }

  private data(batch: ColumnBatch, type: DataType): Data {
    const { DataType: Is } = this.arrow;
    switch (batch.kind) {
      case "fixed":
        return this.dataOf(
          batch,
          type,
          undefined,
          Is.isDecimal(type) ? decimalWords(batch.values, 4) : batch.values,
        );
      case "bool":
        return this.dataOf(batch, type, undefined, batch.values);
      case "binary":
        return this.dataOf(batch, type, batch.offsets, batch.data);
      case "dictionary": {
        if (!Is.isDictionary(type)) {
          throw invalidArgument("dictionary codes for a column without a dictionary", {
            field: "dictionaries",
          });
        }
        const words = this.wordVector(batch.dictionary, type.dictionary);
        return this.dataOf(batch, type, undefined, batch.codes, { dictionary: words });
      }
      case "array": {
        if (!Is.isList(type)) {
          throw invalidArgument("arrays for a column that is not a list", { field: "array" });
        }
        const children = [this.data(batch.child, type.valueType)];
        return this.dataOf(batch, type, batch.offsets, undefined, { children });
      }
    }
  }

  private dataOf(
    { length, nullCount, validity }: Pick<ColumnBatch, "length" | "nullCount" | "validity">,
    type: DataType,
    offsets: Int32Array | undefined,
    values: ArrayBufferView | undefined,
    { children = [], dictionary }: { readonly children?: Data[]; readonly dictionary?: Vector } = {},
  ): Data {
    const buffers: [typeof offsets, typeof values, Uint8Array] = [offsets, values, validity ?? NO_BYTES];
    return new this.arrow.Data(type, 0, length, nullCount, buffers, children, dictionary);
  }

  private wordVector(dictionary: BinaryVector, type: DataType): Vector {
    const known = this.words.get(dictionary);
    if (known !== undefined) {
      return known;
    }
    const { length, offsets, data } = dictionary;
    const rows = { length, nullCount: 0, validity: undefined };
    const vector = new this.arrow.Vector([this.dataOf(rows, type, offsets, data)]);
    this.words.set(dictionary, vector);
    return vector;
  }

  private buffers(data: Data): ArrowBuffers {
    const { length, nullCount, nullBitmap, offset, values, valueOffsets, children, type } = data;
    const isDictionary = this.arrow.DataType.isDictionary(type);
    const [child] = children;
    return {
      length,
      validity: nullCount > 0 ? nullBitmap : undefined,
      bitOffset: offset,
      values: isDictionary ? indices(values) : values,
      offsets: valueOffsets,
      child: child && this.buffers(child),
      dictionary: isDictionary ? this.buffers(onlyChunk(data.dictionary?.data)) : undefined,
    };
  }
}

interface BatchReader {
  next(): Promise<IteratorResult<RecordBatch>>;
  return(): Promise<unknown>;
}

async function* batchesOfReader(reader: BatchReader): AsyncGenerator<RecordBatch, void, void> {
  try {
    for (;;) {
      const next = await withLibrary("Arrow IPC", () => reader.next());
      if (next.done === true) {
        return;
      }
      yield next.value;
    }
  } finally {
    await reader.return();
  }
}
