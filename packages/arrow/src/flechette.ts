/** @module @cfile/arrow/flechette: columns, and tables in memory with their IPC, for the `@uwdata/flechette` library. */
import { invalidArgument } from "@cfile/bytes";
import type { BinaryVector, ColumnBatch } from "@cfile/encodings";
import { alignBatches, type TableBatch } from "@cfile/encodings/batches";
import type { TableRows } from "@cfile/format";
import type { Batch, Column, DataType, ExtractionOptions, Table } from "@uwdata/flechette";
import { type ArrowBuffers, batchOfBuffers, decimalWords, indices, onlyChunk } from "./arrow-buffers.js";
import {
  type ArrowColumn,
  type ArrowType,
  arrowType,
  columnOf,
  neutralType,
  TYPE_KEY,
} from "./arrow-type.js";
import { loadLibrary } from "./load-library.js";
import { batchesOfRows } from "./row-columns.js";

/** The module `@uwdata/flechette`. */
export type FlechetteLibrary = typeof import("@uwdata/flechette");

/**
 * Conversion to and from `@uwdata/flechette`.
 * @param library default: the installed one
 * @throws {CFileError} `E_UNSUPPORTED` when it is not installed
 */
export async function flechette(library?: FlechetteLibrary): Promise<Flechette> {
  return new Flechette(
    library ?? (await loadLibrary("@uwdata/flechette", () => import("@uwdata/flechette"))),
  );
}

const EXTRACTION: ExtractionOptions = { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true };

/** Batches of CFiles and row sets as columns and tables, and back. Equal dictionaries share a column. */
export class Flechette {
  private readonly library: FlechetteLibrary;
  private readonly words = new WeakMap<BinaryVector, Column<unknown>>();

  /** @internal */
  constructor(library: FlechetteLibrary) {
    this.library = library;
  }

  /**
   * Batches of one column as a column over the same memory.
   * @throws {CFileError} `E_INVALID_ARGUMENT` unless all batches have one type, and all or none have a dictionary
   */
  column(
    batches: readonly [ColumnBatch, ...ColumnBatch[]],
    digits: Pick<ArrowColumn, "precision" | "scale"> = {},
  ): Column<unknown> {
    const [first] = batches;
    const isCoded = (batch: ColumnBatch) =>
      (batch.kind === "array" ? batch.child : batch).kind === "dictionary";
    if (batches.some((batch) => batch.type !== first.type || isCoded(batch) !== isCoded(first))) {
      throw invalidArgument("batches differ in type, or only some have a dictionary", { field: "batches" });
    }
    const array = first.kind === "array";
    const type = this.typeOf(arrowType({ ...digits, type: first.type, array }, isCoded(first)));
    return new this.library.Column(batches.map((batch) => this.batch(batch, type)));
  }

  /** A column as batches over the same memory. @throws {CFileError} as `ApacheArrow.batches` */
  batches(given: Column<unknown>, column?: ArrowColumn): ColumnBatch[] {
    const own = column ?? columnOf("column", neutralType(given.type), true, undefined);
    let firstRow = 0;
    return given.data.map((data) => {
      const batch = batchOfBuffers(this.buffers(data), own, firstRow);
      firstRow += batch.length;
      return batch;
    });
  }

  /** All rows of a table, in memory; dictionaries are expanded. */
  async table(table: TableRows): Promise<Table> {
    const { Column, Table, field, Version, Endianness } = this.library;
    const fields = table.columns.map((column) =>
      field(column.name, this.typeOf(arrowType(column)), column.nullable, new Map([[TYPE_KEY, column.type]])),
    );
    const parts: Batch<unknown>[][] = fields.map(() => []);
    for await (const rows of table.rows) {
      batchesOfRows(table, rows, {}).forEach((batch, i) => {
        const type = fields[i]?.type;
        if (type !== undefined) {
          parts[i]?.push(this.batch(batch, type));
        }
      });
    }
    const columns = fields.map(({ type }, i) => new Column(parts[i] ?? [], type));
    const schema = { version: Version.V5, endianness: Endianness.Little, fields, metadata: null };
    return new Table(schema, columns);
  }

  /** The columns of a table. @throws {CFileError} `E_UNSUPPORTED` for a type that a CFile cannot store */
  columns(table: Table): ArrowColumn[] {
    return table.schema.fields.map(({ name, type, nullable, metadata }) =>
      columnOf(name, neutralType(type), nullable, metadata?.get(TYPE_KEY)),
    );
  }

  /**
   * A table as rows over the same memory.
   * @throws {CFileError} `E_UNSUPPORTED` for types that a CFile cannot store; while rows are read, `E_INVALID_ARGUMENT` for invalid
   *   buffers, `E_CORRUPT` for columns of different lengths
   */
  rows(table: Table): TableRows {
    const columns = this.columns(table);
    // By position: names in foreign tables may repeat.
    const batches = columns.map((column, i) => [i, eachOf(() => this.batches(table.getChildAt(i), column))]);
    return { columns, rows: withNames(alignBatches(Object.fromEntries(batches)), columns) };
  }

  private typeOf(type: ArrowType): DataType {
    const f = this.library;
    switch (type.kind) {
      case "int":
        return f.int(type.bits, type.signed);
      case "float":
        return type.bits === 32 ? f.float32() : f.float64();
      case "bool":
        return f.bool();
      case "utf8":
        return f.utf8();
      case "binary":
        return f.binary();
      case "date":
        return f.dateDay();
      case "timestamp":
        return f.timestamp(f.TimeUnit.MICROSECOND, "UTC");
      case "decimal":
        return f.decimal(type.precision, type.scale, type.bits);
      case "dictionary":
        return f.dictionary(type.words === "utf8" ? f.utf8() : f.binary(), f.int32());
      case "list":
        return f.list(f.field("item", this.typeOf(type.item), true));
    }
  }

  private batch(batch: ColumnBatch, type: DataType): Batch<unknown> {
    const Batch = this.library.batchType(type, EXTRACTION);
    const { length, nullCount } = batch;
    const rows = { length, nullCount, type, validity: batch.validity ?? new Uint8Array(0) };
    switch (batch.kind) {
      case "fixed": {
        const isWide = "bitWidth" in type && type.typeId === this.library.Type.Decimal && type.bitWidth > 32;
        return new Batch({ ...rows, values: isWide ? decimalWords(batch.values, 8) : batch.values });
      }
      case "bool":
        return new Batch({ ...rows, values: batch.values });
      case "binary":
        return new Batch({ ...rows, offsets: batch.offsets, values: batch.data });
      case "dictionary": {
        const coded = new Batch({ ...rows, values: batch.codes });
        if (!("dictionary" in type && "setDictionary" in coded)) {
          throw invalidArgument("dictionary codes for a column without a dictionary", {
            field: "dictionaries",
          });
        }
        return coded.setDictionary(this.wordColumn(batch.dictionary, type.dictionary));
      }
      case "array": {
        const item = "children" in type ? type.children[0]?.type : undefined;
        if (item === undefined) {
          throw invalidArgument("arrays for a column that is not a list", { field: "array" });
        }
        return new Batch({ ...rows, offsets: batch.offsets, children: [this.batch(batch.child, item)] });
      }
    }
  }

  private wordColumn(dictionary: BinaryVector, type: DataType): Column<unknown> {
    const known = this.words.get(dictionary);
    if (known !== undefined) {
      return known;
    }
    const { length, offsets, data: values } = dictionary;
    const Batch = this.library.batchType(type, EXTRACTION);
    const rows = { length, nullCount: 0, type, validity: new Uint8Array(0) };
    const column = new this.library.Column([new Batch({ ...rows, offsets, values })]);
    this.words.set(dictionary, column);
    return column;
  }

  private buffers(batch: Batch<unknown>): ArrowBuffers {
    const [child] = batch.children ?? [];
    const isDictionary = batch.type.typeId === this.library.Type.Dictionary;
    const words =
      "dictionary" in batch && batch.dictionary instanceof this.library.Column && batch.dictionary;
    return {
      length: batch.length,
      validity: batch.nullCount > 0 ? batch.validity : undefined,
      bitOffset: 0,
      values: isDictionary ? indices(batch.values) : batch.values,
      offsets: batch.offsets instanceof Int32Array ? batch.offsets : undefined,
      child: child && this.buffers(child),
      dictionary: isDictionary ? this.buffers(onlyChunk(words ? words.data : [])) : undefined,
    };
  }
}

async function* eachOf<T>(list: () => readonly T[]): AsyncGenerator<T, void, void> {
  yield* list();
}

async function* withNames(
  rows: AsyncIterable<TableBatch>,
  columns: readonly ArrowColumn[],
): AsyncGenerator<TableBatch, void, void> {
  const names = columns.map(({ name }) => name);
  for await (const part of rows) {
    yield { ...part, names };
  }
}
