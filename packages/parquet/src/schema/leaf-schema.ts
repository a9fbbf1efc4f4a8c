/**
 * Leaves of a Parquet schema: the columns that have pages, their maximum levels (docs/spec/parquet.md#5-levels), and their CFile types
 * (docs/spec/parquet.md#12-mapping-between-cfile-and-parquet). The schema is a tree, stored depth first.
 */
import { corrupt } from "@cfile/bytes";
import type { ParquetType, SchemaElement } from "hyparquet";
import { type LeafKind, leafKind } from "./leaf-kind.js";

export interface Leaf {
  /** Index among the leaves. */
  readonly index: number;
  /** Names from the root, joined with dots. */
  readonly path: string;
  /** Name of the field below the root. */
  readonly name: string;
  readonly element: SchemaElement;
  readonly type: ParquetType;
  readonly maxDefinition: number;
  readonly maxRepetition: number;
  /** Minimum definition level of a row that is not null. */
  readonly rowLevel: number;
  /** Minimum definition level of an element, which is null below `maxDefinition`. */
  readonly elementLevel: number;
  readonly nullable: boolean;
  readonly array: boolean;
  /** The type in a CFile, or the reason why a CFile cannot store it. */
  readonly kind: LeafKind | { readonly refused: string };
}

const MAX_DEPTH = 64;
/** The kind of a leaf that cannot be decrypted. */
export const LOCKED = /* @__PURE__ */ Object.freeze({ refused: "encrypted, and its key is not given" });

/** @throws {CFileError} `E_CORRUPT` for a schema that is not a tree, or has unknown types */
export function leavesOf(schema: readonly SchemaElement[]): Leaf[] {
  const leaves: Leaf[] = [];
  let next = 1;
  const visit = (children: number, parents: readonly SchemaElement[]): void => {
    const maximum = schema.length - next;
    if (children > maximum) {
      const reason = `invalid number of children: ${children} (expected at most ${maximum})`;
      throw corrupt(reason, { field: "num_children" });
    }
    for (let i = 0; i < children; i++) {
      const element = schema[next++];
      requireIntegers(element);
      if (element === undefined || parents.length > MAX_DEPTH) {
        throw corrupt(`schema ends early, or is nested deeper than ${MAX_DEPTH} levels`, { field: "schema" });
      }
      const elements = [...parents, element];
      const { num_children: own = 0, type } = element;
      if (own > 0) {
        visit(own, elements);
      } else if (type === undefined) {
        throw corrupt(`unknown type of ${element.name}`, { field: "schema type" });
      } else {
        leaves.push(leafOf(leaves.length, elements, element, type));
      }
    }
  };
  requireIntegers(schema[0]);
  visit(schema[0]?.num_children ?? 0, []);
  return leaves;
}

/** The library returns a 64-bit integer or another value if the file stores one where the format has 32 bits. */
function requireIntegers(element: Partial<SchemaElement> = {}): void {
  const { num_children, type_length, precision, scale } = element;
  for (const [field, value] of Object.entries({ num_children, type_length, precision, scale })) {
    if (value !== undefined && !Number.isSafeInteger(value)) {
      throw corrupt(`invalid ${field} of ${element.name}: ${String(value)}`, { field });
    }
  }
}

function leafOf(
  index: number,
  elements: readonly SchemaElement[],
  element: SchemaElement,
  type: ParquetType,
): Leaf {
  const kinds = elements.map(({ repetition_type: kind }) => kind);
  const repetition = kinds.filter((kind) => kind === "REPEATED").length;
  const definition = repetition + kinds.filter((kind) => kind === "OPTIONAL").length;
  const repeated = kinds.indexOf("REPEATED");
  // A list is a group with one repeated child, which is the element or a group of just the element.
  const isList =
    repetition === 1 &&
    repeated <= 1 &&
    elements.length <= repeated + 2 &&
    elements.slice(0, -1).every(({ num_children }) => num_children === 1);
  const isFlat = elements.length === 1 && repetition === 0;
  const rowLevel = kinds.slice(0, Math.max(0, repeated)).filter((kind) => kind === "OPTIONAL").length;
  return {
    index,
    path: elements.map((part) => part.name).join("."),
    name: elements[0]?.name ?? "",
    element,
    type,
    maxDefinition: definition,
    maxRepetition: repetition,
    rowLevel: isList ? rowLevel : definition,
    elementLevel: isList ? rowLevel + 1 : definition,
    nullable: isList ? rowLevel > 0 : definition > 0,
    array: isList,
    kind: isFlat || isList ? leafKind(element, type) : { refused: "a nested column" },
  };
}
