/** The library `apache-arrow`: vectors, record batches, IPC in both forms. */
import { CFileError, invalidArgument } from "@cfile/bytes";
import type { BinaryVector, ColumnBatch, FixedBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { TableRows } from "@cfile/format";
import type { Data, DataType, Field, RecordBatch, Schema, Vector } from "apache-arrow";
import { type ApacheLibrary, ApacheTypes } from "./apache-type.js";
import { type ArrowBuffers, batchOfBuffers } from "./arrow-buffers.js";
import { type ArrowColumn, arrowType, columnOf, TYPE_KEY } from "./arrow-type.js";
import { words32 } from "./decimal-words.js";
import { checkedIpc } from "./ipc/checked-ipc.js";
import { loadLibrary, withLibrary } from "./load-library.js";
import { withOwnDictionary } from "./own-dictionary.js";
import { batchesOfRows, isCoded, type TableOptions } from "./row-columns.js";

/** What a vector without nulls has for a bitmap. */
const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);

/** A table that was read: what its columns are in CFiles, and its rows. */
export interface ArrowRows extends TableRows {
  readonly rows: AsyncGenerator<TableBatch, void, void>;
}

/** Record batches of one schema. A `Table` of the library is such. */
export interface RecordBatches {
  readonly schema: Schema;
  readonly batches: Iterable<RecordBatch> | AsyncIterable<RecordBatch>;
}

/** Which of Arrow's two IPC forms is written. */
export interface IpcOptions extends TableOptions {
  /** Default `"stream"`. */
  readonly format?: "stream" | "file" | undefined;
}

/**
 * `apache-arrow` to be used.
 * @param library default: the one that is installed
 * @throws {CFileError} `E_UNSUPPORTED` when none is
 */
export async function apacheArrow(library?: ApacheLibrary): Promise<ApacheArrow> {
  return new ApacheArrow(library ?? (await loadLibrary("apache-arrow", () => import("apache-arrow"))));
}

/**
 * Batches of CFiles and row sets as vectors, record batches, tables and IPC of apache-arrow, and back. Equal
 * dictionaries become one vector.
 */
export class ApacheArrow {
  private readonly arrow: ApacheLibrary;
  /** Words that are a vector already, so that batches with the same dictionary have the same vector. */
  private readonly words = new WeakMap<BinaryVector, Vector>();
  private readonly types: ApacheTypes;

  /** @internal */
  constructor(arrow: ApacheLibrary) {
    this.arrow = arrow;
    this.types = new ApacheTypes(arrow);
  }

  /** A batch as a vector over the same memory. */
  vector(
    batch: ColumnBatch,
    column: Pick<ArrowColumn, "precision" | "scale"> & { name?: string } = {},
  ): Vector {
    const asDictionary =
      batch.kind === "array" ? batch.child.kind === "dictionary" : batch.kind === "dictionary";
    const { name = "", ...digits } = column;
    const array = batch.kind === "array";
    const type = arrowType({ ...digits, type: batch.type, array }, asDictionary);
    return new this.arrow.Vector([this.data(batch, this.types.typeOf(type, name))]);
  }

  /**
   * A vector as batches over the same memory, one for each of its parts.
   * @param column default: what the type of the vector is in a CFile, nullable
   * @throws {CFileError} `E_UNSUPPORTED` for a type that no CFile has; `E_INVALID_ARGUMENT` for buffers that are not sound
   */
  batches(vector: Vector, column?: ArrowColumn): ColumnBatch[] {
    const own = column ?? columnOf("vector", this.types.neutralType(vector.type), true, undefined);
    let firstRow = 0;
    return vector.data.map((data) => {
      const batch = batchOfBuffers(this.buffers(data), own, firstRow);
      firstRow += batch.length;
      return batch;
    });
  }

  /** The schema of a table. Columns' types are in the metadata of their fields. */
  schema(table: Pick<TableRows, "columns">, options: TableOptions = {}): Schema {
    const { Schema, Field } = this.arrow;
    return new Schema(
      table.columns.map((column) => {
        const type = this.types.typeOf(arrowType(column, isCoded(column, options)), column.name);
        return new Field(column.name, type, column.nullable, new Map([[TYPE_KEY, column.type]]));
      }),
    );
  }

  /** What the columns of a schema are in CFiles. */
  columns(schema: Schema): ArrowColumn[] {
    return schema.fields.map((field: Field) =>
      columnOf(field.name, this.types.neutralType(field.type), field.nullable, field.metadata.get(TYPE_KEY)),
    );
  }

  /** A table as record batches, over the same memory but for dictionaries that are expanded. */
  async *recordBatches(
    table: TableRows,
    options: TableOptions = {},
  ): AsyncGenerator<RecordBatch, void, void> {
    const schema = this.schema(table, options);
    const recordBatch = this.batchMaker(schema);
    for await (const rows of table.rows) {
      const children = batchesOfRows(table, rows, options).map((batch, i) => {
        const field = schema.fields[i];
        if (field === undefined || batch.length !== rows.length) {
          throw invalidArgument("a batch without a column, or not of all rows", { field: "columns" });
        }
        return this.data(options.dictionaries === "keep" ? withOwnDictionary(batch) : batch, field.type);
      });
      yield recordBatch(rows.length, children);
    }
  }

  /**
   * Makes record batches of one schema. The library's constructor would copy the schema, and make its map of dictionaries, for
   * every batch: it is called for one without rows, and the others are that one with data of their own.
   */
  private batchMaker(schema: Schema): (length: number, children: Data[]) => RecordBatch {
    const { BufferType, Data, RecordBatch, Struct } = this.arrow;
    const empty = new RecordBatch(schema, undefined);
    const type = new Struct(empty.schema.fields);
    return (length, children) => {
      const batch: RecordBatch = Object.create(RecordBatch.prototype);
      const data = new Data(type, 0, length, 0, { [BufferType.VALIDITY]: NO_BYTES }, children);
      return Object.assign(batch, empty, { data });
    };
  }

  /**
   * A table in Arrow's IPC form, piece by piece as it is read.
   * @throws {CFileError} `E_UNSUPPORTED` when a column changes its dictionary in the file form
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
        throw new CFileError(
          "E_UNSUPPORTED",
          "a column changes its dictionary, which the file form of Arrow cannot have: write a stream, or expand dictionaries",
          { field: "dictionaries", cause },
        );
      }
      const ready = pieces;
      pieces = [];
      yield* ready;
    }
    writer.finish();
    yield* pieces;
  }

  /**
   * Reads IPC, either form. A stream is read batch by batch; the file form is in memory whole.
   * @throws {CFileError} `E_CORRUPT` for what is no IPC, also while rows are read; `E_UNSUPPORTED` for types that no CFile has
   */
  async readIpc(input: Uint8Array | AsyncIterable<Uint8Array>): Promise<ArrowRows> {
    const reader = await withLibrary("Arrow IPC", async () => {
      const checked = await checkedIpc(input);
      // Either form may be given; the library's declarations know only one at a time.
      const opened = await this.arrow.RecordBatchReader.from(checked as AsyncIterable<Uint8Array>);
      await opened.open();
      return opened;
    });
    // Without a first message there is no schema, whatever the library's types say.
    const schema: Schema | undefined = reader.schema;
    if (schema === undefined) {
      throw new CFileError("E_TRUNCATED", "Arrow IPC ends before its schema", { field: "Arrow IPC" });
    }
    return withLibrary("Arrow IPC", () => this.rows({ schema, batches: batchesOfReader(reader) }));
  }

  /**
   * Record batches as rows over the same memory: a `Table`, or a schema and a stream of its batches. What is not sound is told
   * when its rows are read.
   * @throws {CFileError} `E_UNSUPPORTED` for types that no CFile has; while rows are read `E_INVALID_ARGUMENT`
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
          throw invalidArgument(`column ${column.name} has not as many rows as others`, { field: "columns" });
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
        return this.dataOf(batch, type, undefined, this.valuesOf(batch, type));
      case "bool":
        return this.dataOf(batch, type, undefined, batch.values);
      case "binary":
        return this.dataOf(batch, type, batch.offsets, batch.data);
      case "dictionary": {
        if (!Is.isDictionary(type)) {
          throw invalidArgument("codes for a column of strings", { field: "dictionaries" });
        }
        const words = this.wordVector(batch.dictionary, type.dictionary);
        return this.dataOf(batch, type, undefined, batch.codes, { dictionary: words });
      }
      case "array": {
        if (!Is.isList(type)) {
          throw invalidArgument("arrays for a column without", { field: "array" });
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

  private valuesOf(batch: FixedBatch, type: DataType): FixedBatch["values"] {
    return this.arrow.DataType.isDecimal(type) ? words32(batch.values) : batch.values;
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
      dictionary: isDictionary ? this.wordBuffers(data.dictionary) : undefined,
    };
  }

  private wordBuffers(dictionary: Vector | undefined): ArrowBuffers {
    const [data, ...others] = dictionary?.data ?? [];
    if (data === undefined || others.length > 0) {
      throw new CFileError("E_UNSUPPORTED", "a dictionary in several parts", { field: "dictionary" });
    }
    return this.buffers(data);
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

/** Indices of 32 bits as they are; others become such. */
function indices(values: ArrayLike<number | bigint> | undefined): Int32Array | undefined {
  return values === undefined || values instanceof Int32Array ? values : Int32Array.from(values, Number);
}
