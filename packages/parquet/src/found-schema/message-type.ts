/**
 * Parses a schema as Parquet's own tools print it:
 *
 * ```text
 * message table {
 *   required int64 id;
 *   optional binary name (STRING);
 *   optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
 * }
 * ```
 */
import { invalidArgument } from "@cfile/bytes";
import type { ConvertedType, LogicalType, ParquetType, SchemaElement, TimeUnit } from "hyparquet";
import { ConvertedTypes } from "hyparquet/src/constants.js";

const TYPES: Readonly<Record<string, ParquetType>> = /* @__PURE__ */ Object.freeze({
  boolean: "BOOLEAN",
  int32: "INT32",
  int64: "INT64",
  int96: "INT96",
  float: "FLOAT",
  double: "DOUBLE",
  binary: "BYTE_ARRAY",
  fixed_len_byte_array: "FIXED_LEN_BYTE_ARRAY",
});
const PLAIN_LOGICAL = ["ENUM", "DATE", "JSON", "BSON", "UUID", "FLOAT16", "MAP", "LIST"] as const;
const UNITS: readonly string[] = ["MILLIS", "MICROS", "NANOS"];
const MAX_DEPTH = 64;

/** The elements of a schema, its root first. @throws {CFileError} `E_INVALID_ARGUMENT` naming what is wrong */
export function parseMessageType(text: string): SchemaElement[] {
  const tokens = text.match(/[^\s{}();,=]+|[{}();,=]/g) ?? [];
  const parser = new MessageParser(tokens);
  const elements = parser.message();
  if (elements.length < 2) {
    throw invalidArgument("the schema has no columns", { field: "schema" });
  }
  return elements;
}

class MessageParser {
  private readonly tokens: readonly string[];
  private at = 0;

  constructor(tokens: readonly string[]) {
    this.tokens = tokens;
  }

  message(): SchemaElement[] {
    this.expect("message");
    const name = this.take("a name");
    const fields = this.fields(0);
    if (this.at < this.tokens.length) {
      throw this.unexpected("the end");
    }
    return [{ name, num_children: fields.length }, ...fields.flat()];
  }

  /** Each field with everything below it. */
  private fields(depth: number): SchemaElement[][] {
    if (depth > MAX_DEPTH) {
      throw invalidArgument(`schema is nested deeper than ${MAX_DEPTH} levels`, { field: "schema" });
    }
    this.expect("{");
    const fields: SchemaElement[][] = [];
    while (this.tokens[this.at] !== "}") {
      fields.push(this.field(depth));
    }
    this.at++;
    return fields;
  }

  private field(depth: number): SchemaElement[] {
    const repetition = this.take("required, optional or repeated").toUpperCase();
    if (repetition !== "REQUIRED" && repetition !== "OPTIONAL" && repetition !== "REPEATED") {
      this.at--;
      throw this.unexpected("required, optional or repeated");
    }
    const typeName = this.take("a type").toLowerCase();
    if (typeName === "group") {
      const name = this.take("a name");
      const annotation = this.annotation();
      const children = this.fields(depth + 1);
      const group = {
        name,
        repetition_type: repetition,
        num_children: children.length,
        ...annotation,
      } as const;
      return [group, ...children.flat()];
    }
    const type = TYPES[typeName];
    if (type === undefined) {
      this.at--;
      throw this.unexpected(`a type (${Object.keys(TYPES).join(", ")} or group)`);
    }
    const [length] = type === "FIXED_LEN_BYTE_ARRAY" ? this.parameters() : [];
    const name = this.take("a name");
    const annotation = this.annotation();
    this.expect(";");
    const size = length === undefined ? {} : { type_length: Number(length) };
    return [{ name, type, repetition_type: repetition, ...size, ...annotation }];
  }

  /** `(NAME)` or `(NAME(parameters))`, and `= ID`, which is not needed. */
  private annotation(): Pick<SchemaElement, "converted_type" | "logical_type" | "precision" | "scale"> {
    let found = {};
    if (this.tokens[this.at] === "(") {
      this.at++;
      const name = this.take("an annotation").toUpperCase();
      const parameters = this.tokens[this.at] === "(" ? this.parameters() : [];
      this.expect(")");
      found = annotationOf(name, parameters);
    }
    if (this.tokens[this.at] === "=") {
      this.at += 2;
    }
    return found;
  }

  private parameters(): string[] {
    this.expect("(");
    const parameters: string[] = [];
    while (this.tokens[this.at] !== ")") {
      const token = this.take(")");
      if (token !== ",") {
        parameters.push(token);
      }
    }
    this.at++;
    return parameters;
  }

  private expect(token: string): void {
    if (this.tokens[this.at] !== token) {
      throw this.unexpected(JSON.stringify(token));
    }
    this.at++;
  }

  private take(what: string): string {
    const token = this.tokens[this.at];
    if (token === undefined) {
      throw this.unexpected(what);
    }
    this.at++;
    return token;
  }

  private unexpected(expected: string): Error {
    const found = this.tokens[this.at];
    const reason = `invalid schema: ${found === undefined ? "it ends" : JSON.stringify(found)} (expected ${expected})`;
    return invalidArgument(reason, { field: "schema" });
  }
}

function annotationOf(
  name: string,
  parameters: readonly string[],
): Pick<SchemaElement, "converted_type" | "logical_type" | "precision" | "scale"> {
  const [first = "", second = ""] = parameters;
  if (name === "DECIMAL") {
    const [precision, scale] = [Number(first), Number(second)];
    return {
      converted_type: "DECIMAL",
      precision,
      scale,
      logical_type: { type: "DECIMAL", precision, scale },
    };
  }
  if ((name === "TIMESTAMP" || name === "TIME") && isUnit(first)) {
    return { logical_type: { type: name, isAdjustedToUTC: second !== "false", unit: first } };
  }
  if (name === "INTEGER" || name === "INT") {
    const converted = `${second === "false" ? "U" : ""}INT_${Number(first)}`;
    return isConverted(converted) ? { converted_type: converted } : {};
  }
  if (name === "STRING" || name === "UTF8") {
    return { converted_type: "UTF8", logical_type: { type: "STRING" } };
  }
  const plain = PLAIN_LOGICAL.find((known) => known === name);
  const logical: LogicalType | undefined = plain === undefined ? undefined : { type: plain };
  return {
    ...(isConverted(name) && { converted_type: name }),
    ...(logical !== undefined && { logical_type: logical }),
  };
}

function isUnit(text: string): text is TimeUnit {
  return UNITS.includes(text);
}

function isConverted(name: string): name is ConvertedType {
  return ConvertedTypes.some((known) => known === name);
}
