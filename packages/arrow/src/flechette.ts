/** @module @cfile/arrow/flechette: columns, and tables in memory with their IPC, for the `@uwdata/flechette` library. */
import { CFileError, invalidArgument } from "@cfile/bytes";
import type { BinaryVector, ColumnBatch } from "@cfile/encodings";
import { alignBatches, type TableBatch } from "@cfile/encodings/batches";
import type { TableRows } from "@cfile/format";
import type { Batch, Column, DataType, ExtractionOptions, Table } from "@uwdata/flechette";
import { type ArrowBuffers, batchOfBuffers } from "./arrow-buffers.js";
import { type ArrowColumn, type ArrowType, arrowType, columnOf, TYPE_KEY } from "./arrow-type.js";
import { words64 } from "./decimal-words.js";
import { loadLibrary } from "./load-library.js";
import { batchesOfRows } from "./row-columns.js";

/** The module `@uwdata/flechette`, as `import` gives it. */
export type FlechetteLibrary = typeof import("@uwdata/flechette");

/**
 * `@uwdata/flechette` to be used.
 * @param library default: the one that is installed
 * @throws {CFileError} `E_UNSUPPORTED` when none is
 */
export async function flechette(library?: FlechetteLibrary): Promise<Flechette> {
  return new Flechette(
    library ?? (await loadLibrary("@uwdata/flechette", () => import("@uwdata/flechette"))),
  );
}

/** How cells come out of columns: 64 bits as bigint, as everywhere here. */
const EXTRACTION: ExtractionOptions = { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true };

/** Batches of CFiles and row sets as columns and tables of flechette, and back. Equal dictionaries become one column. */
export class Flechette {
  private readonly library: FlechetteLibrary;
  private readonly words = new WeakMap<BinaryVector, Column<unknown>>();

  /** @internal */
  constructor(library: FlechetteLibrary) {
    this.library = library;
  }

  /** Batches of one column as a column over the same memory. They have one form: all codes of one dictionary, or none codes. */
  column(
    batches: readonly [ColumnBatch, ...ColumnBatch[]],
    digits: Pick<ArrowColumn, "precision" | "scale"> = {},
  ): Column<unknown> {
    const [first] = batches;
    const isCoded = (batch: ColumnBatch) =>
      (batch.kind === "array" ? batch.child : batch).kind === "dictionary";
    if (batches.some((batch) => batch.type !== first.type || isCoded(batch) !== isCoded(first))) {
      throw invalidArgument("batches of one type and form are expected", { field: "batches" });
    }
    const array = first.kind === "array";
    const type = this.typeOf(arrowType({ ...digits, type: first.type, array }, isCoded(first)));
    return new this.library.Column(batches.map((batch) => this.batch(batch, type)));
  }

  /** A column as batches over the same memory. Errors are those of `ApacheArrow.batches`. */
  batches(given: Column<unknown>, column?: ArrowColumn): ColumnBatch[] {
    const own = column ?? columnOf("column", this.neutralType(given.type), true, undefined);
    let firstRow = 0;
    return given.data.map((data) => {
      const batch = batchOfBuffers(this.buffers(data), own, firstRow);
      firstRow += batch.length;
      return batch;
    });
  }

  /** All rows of a table, in memory. Strings of dictionaries are expanded. */
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

  /** What the columns of a table are in CFiles. */
  columns(table: Table): ArrowColumn[] {
    return table.schema.fields.map(({ name, type, nullable, metadata }) =>
      columnOf(name, this.neutralType(type), nullable, metadata?.get(TYPE_KEY)),
    );
  }

  /**
   * A table as rows over the same memory.
   * @throws {CFileError} `E_UNSUPPORTED` for types that no CFile has; while rows are read `E_INVALID_ARGUMENT` for buffers that are
   *   not sound, `E_CORRUPT` for columns of different lengths
   */
  rows(table: Table): TableRows {
    const columns = this.columns(table);
    // By position: columns of foreign tables may have the same name.
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

  private neutralType(type: DataType): ArrowType {
    const { Type, Precision, DateUnit, TimeUnit } = this.library;
    switch (type.typeId) {
      case Type.Int:
        return { kind: "int", bits: type.bitWidth, signed: type.signed };
      case Type.Float:
        if (type.precision !== Precision.HALF) {
          return { kind: "float", bits: type.precision === Precision.SINGLE ? 32 : 64 };
        }
        break;
      case Type.Bool:
        return { kind: "bool" };
      case Type.Utf8:
        return { kind: "utf8" };
      case Type.Binary:
        return { kind: "binary" };
      case Type.Date:
        if (type.unit === DateUnit.DAY) {
          return { kind: "date" };
        }
        break;
      case Type.Timestamp:
        if (type.unit === TimeUnit.MICROSECOND) {
          return { kind: "timestamp" };
        }
        break;
      case Type.Decimal: {
        const { bitWidth: bits, precision, scale } = type;
        if (bits !== 256) {
          return { kind: "decimal", bits, precision, scale };
        }
        break;
      }
      case Type.List: {
        const item = type.children[0] && this.neutralType(type.children[0].type);
        if (item !== undefined && item.kind !== "list") {
          return { kind: "list", item };
        }
        break;
      }
      case Type.Dictionary: {
        const { kind } = this.neutralType(type.dictionary);
        if (kind === "utf8" || kind === "binary") {
          return { kind: "dictionary", words: kind };
        }
        break;
      }
    }
    throw new CFileError("E_UNSUPPORTED", `CFiles have no Arrow type number ${type.typeId}`, {
      field: "type",
    });
  }

  private batch(batch: ColumnBatch, type: DataType): Batch<unknown> {
    const Batch = this.library.batchType(type, EXTRACTION);
    const { length, nullCount } = batch;
    const rows = { length, nullCount, type, validity: batch.validity ?? new Uint8Array(0) };
    switch (batch.kind) {
      case "fixed": {
        const isWide = "bitWidth" in type && type.typeId === this.library.Type.Decimal && type.bitWidth > 32;
        return new Batch({ ...rows, values: isWide ? words64(batch.values) : batch.values });
      }
      case "bool":
        return new Batch({ ...rows, values: batch.values });
      case "binary":
        return new Batch({ ...rows, offsets: batch.offsets, values: batch.data });
      case "dictionary": {
        const coded = new Batch({ ...rows, values: batch.codes });
        if (!("dictionary" in type && "setDictionary" in coded)) {
          throw invalidArgument("codes for a column of strings", { field: "dictionaries" });
        }
        return coded.setDictionary(this.wordColumn(batch.dictionary, type.dictionary));
      }
      case "array": {
        const item = "children" in type ? type.children[0]?.type : undefined;
        if (item === undefined) {
          throw invalidArgument("arrays for a column without", { field: "array" });
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
    return {
      length: batch.length,
      validity: batch.nullCount > 0 ? batch.validity : undefined,
      bitOffset: 0,
      values: isDictionary ? indices(batch.values) : batch.values,
      offsets: batch.offsets instanceof Int32Array ? batch.offsets : undefined,
      child: child && this.buffers(child),
      dictionary: isDictionary ? this.wordBuffers(batch) : undefined,
    };
  }

  private wordBuffers(batch: Batch<unknown>): ArrowBuffers {
    const parts =
      "dictionary" in batch && batch.dictionary instanceof this.library.Column ? batch.dictionary.data : [];
    const [words, ...others] = parts;
    if (words === undefined || others.length > 0) {
      throw new CFileError("E_UNSUPPORTED", "a dictionary in several parts", { field: "dictionary" });
    }
    return this.buffers(words);
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

function indices(values: ArrayLike<number | bigint>): Int32Array {
  return values instanceof Int32Array ? values : Int32Array.from(values, Number);
}
