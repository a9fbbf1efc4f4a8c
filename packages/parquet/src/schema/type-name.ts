/** Types of schema elements as the Parquet format names them: the logical type or, without one, the physical type. */
import type { LogicalType, SchemaElement } from "hyparquet";

/** The name of an element's type, such as `"INT96"`, `"FLOAT16"`, `"TIMESTAMP(NANOS, UTC)"`, `"GEOMETRY"`, `"DECIMAL(10, 2)"`. */
export function typeName(element: SchemaElement): string {
  const { logical_type: logical, converted_type: converted, type, type_length: length } = element;
  if (logical !== undefined) {
    return logicalName(logical);
  }
  if (converted === "DECIMAL") {
    return `DECIMAL(${element.precision ?? 0}, ${element.scale ?? 0})`;
  }
  if (converted !== undefined) {
    return converted;
  }
  return type === "FIXED_LEN_BYTE_ARRAY" ? `${type}(${length ?? 0})` : (type ?? "group");
}

function logicalName(logical: LogicalType): string {
  switch (logical.type) {
    case "DECIMAL":
      return `DECIMAL(${logical.precision}, ${logical.scale})`;
    case "TIME":
    case "TIMESTAMP":
      return `${logical.type}(${logical.unit}${logical.isAdjustedToUTC ? ", UTC" : ""})`;
    case "INTEGER":
      return `${logical.isSigned ? "INT" : "UINT"}(${logical.bitWidth})`;
    case "GEOMETRY":
    case "GEOGRAPHY":
      return logical.crs === undefined ? logical.type : `${logical.type}(${logical.crs})`;
    default:
      return logical.type;
  }
}
