/**
 * Leaves of a Parquet schema: the columns that have pages, their maximum levels (docs/spec/parquet.md#5-levels), and what they
 * are in a CFile (docs/spec/parquet.md#12-mapping-between-cfile-and-parquet). The schema is a tree, written depth first.
 */
import { corrupt } from "@cfile/bytes";
import type { ParquetType, SchemaElement } from "hyparquet";
import { type LeafKind, leafKind } from "./leaf-kind.js";

export interface Leaf {
  /** Position among the leaves. */
  readonly index: number;
  /** Names from the root, joined with dots. */
  readonly path: string;
  /** Name of the field below the root. */
  readonly name: string;
  readonly element: SchemaElement;
  readonly type: ParquetType;
  readonly maxDefinition: number;
  readonly maxRepetition: number;
  /**
   * Definition levels: from `present` on a row is not null; from `element` on it has an element, which is null below
   * `maxDefinition`.
   */
  readonly rowLevel: number;
  readonly elementLevel: number;
  readonly nullable: boolean;
  readonly array: boolean;
  /** The type in a CFile, or why a CFile cannot have it. */
  readonly kind: LeafKind | { readonly refused: string };
}

interface Level {
  readonly definition: number;
  readonly repetition: number;
  readonly elements: readonly SchemaElement[];
}

const MAX_DEPTH = 64;

/** @throws {CFileError} `E_CORRUPT` for a schema that is not a tree, or has unknown types */
export function leavesOf(schema: readonly SchemaElement[]): Leaf[] {
  const leaves: Leaf[] = [];
  let next = 1;
  const visit = (parent: Level): void => {
    const element = schema[next++];
    if (element === undefined || parent.elements.length > MAX_DEPTH) {
      throw corrupt(`schema ends early, or is nested deeper than ${MAX_DEPTH} levels`, { field: "schema" });
    }
    const { repetition_type: repetition } = element;
    const level: Level = {
      definition: parent.definition + (repetition === "OPTIONAL" || repetition === "REPEATED" ? 1 : 0),
      repetition: parent.repetition + (repetition === "REPEATED" ? 1 : 0),
      elements: [...parent.elements, element],
    };
    const children = element.num_children ?? 0;
    if (children > 0) {
      requireChildren(children, schema.length - next);
      for (let i = 0; i < children; i++) {
        visit(level);
      }
    } else if (element.type === undefined) {
      throw corrupt(`unknown type of ${element.name}`, { field: "schema type" });
    } else {
      leaves.push(leafOf(leaves.length, level, element, element.type));
    }
  };
  const roots = schema[0]?.num_children ?? 0;
  requireChildren(roots, schema.length - 1);
  for (let i = 0; i < roots; i++) {
    visit({ definition: 0, repetition: 0, elements: [] });
  }
  return leaves;
}

function requireChildren(children: number, most: number): void {
  if (children > most) {
    const reason = `invalid number of children: ${children} (expected at most ${most})`;
    throw corrupt(reason, { field: "num_children" });
  }
}

function leafOf(index: number, level: Level, element: SchemaElement, type: ParquetType): Leaf {
  const { elements, definition, repetition } = level;
  const [first] = elements;
  const name = first?.name ?? "";
  const repeated = elements.findIndex(({ repetition_type }) => repetition_type === "REPEATED");
  const before = elements.slice(0, Math.max(0, repeated));
  // A list is a group with one repeated child, which is the element or a group of just the element.
  const isList =
    repetition === 1 &&
    repeated <= 1 &&
    elements.length <= repeated + 2 &&
    elements.slice(0, -1).every(({ num_children }) => num_children === 1);
  const isFlat = elements.length === 1 && repetition === 0;
  const rowLevel = before.filter(({ repetition_type }) => repetition_type === "OPTIONAL").length;
  return {
    index,
    path: elements.map((part) => part.name).join("."),
    name,
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
