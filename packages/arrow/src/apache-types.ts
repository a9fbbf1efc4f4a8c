/** The types of the library `apache-arrow`. */
import type { DataType } from "apache-arrow";
import type { ArrowType } from "./arrow-type.js";

/** The module `apache-arrow`. */
export type ApacheLibrary = typeof import("apache-arrow");

/** Types for columns; those of dictionaries are made once per column. */
export class ApacheTypes {
  private readonly arrow: ApacheLibrary;
  /** The type contains the dictionary's ID, so all batches of a column share the type. */
  private readonly dictionaries = new Map<string, DataType>();

  constructor(arrow: ApacheLibrary) {
    this.arrow = arrow;
  }

  /** @param column name of the column */
  of(type: ArrowType, column: string): DataType {
    const { arrow } = this;
    switch (type.kind) {
      case "int":
        return new arrow.Int(type.signed, type.bits);
      case "float":
        return type.bits === 32 ? new arrow.Float32() : new arrow.Float64();
      case "bool":
        return new arrow.Bool();
      case "utf8":
        return new arrow.Utf8();
      case "binary":
        return new arrow.Binary();
      case "date":
        return new arrow.DateDay();
      case "timestamp":
        return new arrow.TimestampMicrosecond("UTC");
      case "decimal":
        return new arrow.Decimal(type.scale, type.precision, type.bits);
      case "dictionary": {
        const key = `${type.words} ${column}`;
        const words = this.of({ kind: type.words }, column);
        const known = this.dictionaries.get(key) ?? new arrow.Dictionary(words, new arrow.Int32());
        this.dictionaries.set(key, known);
        return known;
      }
      case "list":
        return new arrow.List(new arrow.Field("item", this.of(type.item, column), true));
    }
  }
}
