/** A schema as Parquet's own tools print it: `message table { required int64 id; … }`. */
import type { SchemaElement } from "hyparquet";

const TYPES: Readonly<Record<string, string>> = /* @__PURE__ */ Object.freeze({ BYTE_ARRAY: "binary" });

/** One line per element, indented by its depth. */
export function messageTypeLines(schema: readonly SchemaElement[]): string[] {
  const [root] = schema;
  const lines = [`message ${root?.name ?? "schema"} {`];
  let next = 1;
  const add = (children: number, indent: string): void => {
    for (let i = 0; i < children; i++) {
      const element = schema[next++];
      if (element === undefined) {
        return;
      }
      const { name, type, num_children: own = 0, repetition_type: repetition = "REQUIRED" } = element;
      const start = `${indent}${repetition.toLowerCase()} ${typeText(element)} ${name}${annotation(element)}`;
      if (type === undefined || own > 0) {
        lines.push(`${start} {`);
        add(own, `${indent}  `);
        lines.push(`${indent}}`);
      } else {
        lines.push(`${start};`);
      }
    }
  };
  add(root?.num_children ?? 0, "  ");
  return [...lines, "}"];
}

function typeText({ type, type_length: length }: SchemaElement): string {
  if (type === undefined) {
    return "group";
  }
  const name = TYPES[type] ?? type.toLowerCase();
  return type === "FIXED_LEN_BYTE_ARRAY" ? `${name}(${length ?? 0})` : name;
}

function annotation({ logical_type: logical, converted_type: converted, ...element }: SchemaElement): string {
  switch (logical?.type) {
    case undefined:
      return converted === undefined
        ? ""
        : converted === "DECIMAL"
          ? ` (DECIMAL(${element.precision ?? 0},${element.scale ?? 0}))`
          : ` (${converted})`;
    case "DECIMAL":
      return ` (DECIMAL(${logical.precision},${logical.scale}))`;
    case "TIME":
    case "TIMESTAMP":
      return ` (${logical.type}(${logical.unit},${logical.isAdjustedToUTC}))`;
    case "INTEGER":
      return ` (INTEGER(${logical.bitWidth},${logical.isSigned}))`;
    default:
      return ` (${logical?.type})`;
  }
}
