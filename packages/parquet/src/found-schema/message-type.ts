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
import type { ConvertedType, ParquetType, SchemaElement, TimeUnit } from "hyparquet";
import { ConvertedTypes } from "hyparquet/src/constants.js";

const TYPES: ReadonlyMap<string, ParquetType> = /* @__PURE__ */ new Map([
  ["boolean", "BOOLEAN"],
  ["int32", "INT32"],
  ["int64", "INT64"],
  ["int96", "INT96"],
  ["float", "FLOAT"],
  ["double", "DOUBLE"],
  ["binary", "BYTE_ARRAY"],
  ["fixed_len_byte_array", "FIXED_LEN_BYTE_ARRAY"],
]);
/** Logical types without parameters, or with optional parameters, which are ignored. */
const PLAIN_LOGICAL = [
  ...(["ENUM", "DATE", "JSON", "BSON", "UUID", "FLOAT16", "MAP", "LIST", "INTERVAL"] as const),
  ...(["NULL", "VARIANT", "GEOMETRY", "GEOGRAPHY"] as const),
];
const UNITS: readonly TimeUnit[] = ["MILLIS", "MICROS", "NANOS"];
/** Numbers in a schema are signed 32-bit integers. */
const MAX_NUMBER = 0x7fffffff;
const MAX_DEPTH = 64;

/** The elements of a schema, its root first. @throws {CFileError} `E_INVALID_ARGUMENT` naming what is wrong */
export function parseMessageType(text: string): SchemaElement[] {
  const parser = new MessageParser([...text.matchAll(/[^\s{}();,=]+|[{}();,=]/g)].map(([token]) => token));
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
    const type = TYPES.get(typeName);
    if (type === undefined) {
      this.at--;
      throw this.unexpected(`a type (${[...TYPES.keys()].join(", ")} or group)`);
    }
    const length =
      type === "FIXED_LEN_BYTE_ARRAY" ? { type_length: wholeNumber(this.parameters()[0], "length", 1) } : {};
    const name = this.take("a name");
    const annotation = this.annotation();
    this.expect(";");
    return [{ name, type, repetition_type: repetition, ...length, ...annotation }];
  }

  /** `(NAME)` or `(NAME(parameters))`, and `= ID`. */
  private annotation(): Annotation {
    let found: Annotation = {};
    if (this.tokens[this.at] === "(") {
      this.at++;
      const name = this.take("an annotation").toUpperCase();
      const parameters = this.tokens[this.at] === "(" ? this.parameters() : [];
      this.expect(")");
      found = annotationOf(name, parameters);
    }
    if (this.tokens[this.at] === "=") {
      this.at++;
      found = { ...found, field_id: wholeNumber(this.take("a field ID"), "field ID") };
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

type Annotation = Partial<
  Pick<SchemaElement, "converted_type" | "logical_type" | "precision" | "scale" | "field_id">
>;

function annotationOf(name: string, parameters: readonly string[]): Annotation {
  const [first, second] = parameters;
  switch (name) {
    case "DECIMAL": {
      const precision = wholeNumber(first, "precision", 1);
      const scale = wholeNumber(second ?? "0", "scale");
      const decimal = { precision, scale };
      return { ...decimal, converted_type: "DECIMAL", logical_type: { type: "DECIMAL", ...decimal } };
    }
    case "TIME":
    case "TIMESTAMP": {
      const unit = UNITS.find((known) => known === first);
      if (unit === undefined) {
        throw invalidArgument(`${name} has no unit (expected ${UNITS.join(", ")})`, { field: "schema" });
      }
      return { logical_type: { type: name, isAdjustedToUTC: second !== "false", unit } };
    }
    case "INTEGER":
    case "INT":
      return converted(`${second === "false" ? "U" : ""}INT_${first}`, name);
    case "STRING":
    case "UTF8":
      return { converted_type: "UTF8", logical_type: { type: "STRING" } };
    default:
      return plainAnnotation(name);
  }
}

function plainAnnotation(name: string): Annotation {
  const type = PLAIN_LOGICAL.find((known) => known === name);
  if (type === undefined) {
    return converted(name, name);
  }
  return { ...(isConverted(type) && { converted_type: type }), logical_type: { type } };
}

function converted(type: string, name: string): Annotation {
  if (!isConverted(type)) {
    throw invalidArgument(`unknown annotation: ${name}`, { field: "schema" });
  }
  return { converted_type: type };
}

function wholeNumber(text: string | undefined, what: string, minimum = 0): number {
  const value = Number(text);
  if (text === undefined || !/^\d+$/.test(text) || value < minimum || value > MAX_NUMBER) {
    throw invalidArgument(`invalid ${what}: ${text ?? "none"}`, { field: "schema" });
  }
  return value;
}

function isConverted(name: string): name is ConvertedType {
  return ConvertedTypes.some((known) => known === name);
}
