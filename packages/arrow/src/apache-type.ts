/** Column types as those of the library `apache-arrow`, and back. */
import { CFileError } from "@cfile/bytes";
import type { DataType } from "apache-arrow";
import type { ArrowType } from "./arrow-type.js";

/** The module `apache-arrow`, as `import` gives it. */
export type ApacheLibrary = typeof import("apache-arrow");

export class ApacheTypes {
  private readonly arrow: ApacheLibrary;
  private readonly dictionaries = new Map<string, DataType>();

  constructor(arrow: ApacheLibrary) {
    this.arrow = arrow;
  }

  /** @param column its dictionary has a number of its own */
  typeOf(type: ArrowType, column: string): DataType {
    const arrow = this.arrow;
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
        // The type carries the dictionary's number: it stays the same for all batches of a column.
        const key = `${type.words} ${column}`;
        const words = type.words === "utf8" ? new arrow.Utf8() : new arrow.Binary();
        const made = this.dictionaries.get(key) ?? new arrow.Dictionary(words, new arrow.Int32());
        this.dictionaries.set(key, made);
        return made;
      }
      case "list":
        return new arrow.List(new arrow.Field("item", this.typeOf(type.item, column), true));
    }
  }

  /** @throws {CFileError} `E_UNSUPPORTED` for a type that no CFile has */
  neutralType(type: DataType): ArrowType {
    const { DataType: Is, DateUnit, Precision, TimeUnit } = this.arrow;
    if (Is.isInt(type)) {
      return { kind: "int", bits: type.bitWidth, signed: type.isSigned };
    }
    if (Is.isFloat(type) && type.precision !== Precision.HALF) {
      return { kind: "float", bits: type.precision === Precision.SINGLE ? 32 : 64 };
    }
    if (Is.isBool(type)) {
      return { kind: "bool" };
    }
    if (Is.isUtf8(type)) {
      return { kind: "utf8" };
    }
    if (Is.isBinary(type)) {
      return { kind: "binary" };
    }
    if (Is.isDate(type) && type.unit === DateUnit.DAY) {
      return { kind: "date" };
    }
    if (Is.isTimestamp(type) && type.unit === TimeUnit.MICROSECOND) {
      return { kind: "timestamp" };
    }
    if (Is.isDecimal(type)) {
      const { bitWidth: bits, precision, scale } = type;
      if (bits === 32 || bits === 64 || bits === 128) {
        return { kind: "decimal", bits, precision, scale };
      }
    }
    if (Is.isList(type)) {
      const item = this.neutralType(type.valueType);
      if (item.kind !== "list") {
        return { kind: "list", item };
      }
    }
    if (Is.isDictionary(type)) {
      const { kind } = this.neutralType(type.dictionary);
      if (kind === "utf8" || kind === "binary") {
        return { kind: "dictionary", words: kind };
      }
    }
    throw new CFileError("E_UNSUPPORTED", `CFiles have no ${String(type)}`, { field: "type" });
  }
}
