/**
 * The schema as a tree of fields (docs/spec/parquet.md#5-levels), in Arrow's terms: a `REPEATED` group is not a field of its own, but part
 * of the list or map that it forms. Lists and maps of old writers follow the rules for backward compatibility of
 * https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#lists.
 */
import { corrupt } from "@cfile/bytes";
import type { SchemaElement } from "hyparquet";
import { type LeafKind, leafKind } from "../schema/leaf-kind.js";
import { type Leaf, LOCKED } from "../schema/leaf-schema.js";
import { typeName } from "../schema/type-name.js";

/** How the levels of the leaves below a field describe its slots. */
export interface FieldLevels {
  /** Number of lists and maps that contain the field. */
  readonly repetition: number;
  /** Minimum definition level of an entry that has a slot for the field, null or not. */
  readonly slot: number;
  /** Minimum definition level of a slot that is neither null nor in a null struct. */
  readonly present: number;
}

interface FieldBase extends FieldLevels {
  readonly name: string;
  readonly nullable: boolean;
  /** The type as the Parquet format names it, such as `"INT96"`, `"FLOAT16"`, `"VARIANT"`, `"TIMESTAMP(NANOS, UTC)"`. */
  readonly parquetType: string;
}

/** A field with values. */
export interface LeafField extends FieldBase {
  readonly kind: "leaf";
  readonly leaf: Leaf;
  /** Minimum definition level of an element of each list and map around the field, from the outside in. */
  readonly elementLevels: readonly number[];
  /** The type of the values, or the reason why they cannot be read. */
  readonly values: LeafKind | { readonly refused: string };
}

/** A group of fields. */
export interface StructField extends FieldBase {
  readonly kind: "struct";
  readonly fields: readonly ParquetField[];
}

/** A list, or a map without values. */
export interface ListField extends FieldBase {
  readonly kind: "list";
  readonly element: ParquetField;
}

/** A map. */
export interface MapField extends FieldBase {
  readonly kind: "map";
  readonly key: ParquetField;
  readonly value: ParquetField;
}

/** A field of a Parquet schema; `kind` distinguishes the forms. */
export type ParquetField = LeafField | StructField | ListField | MapField;

interface SchemaNode {
  readonly element: SchemaElement;
  readonly children: readonly SchemaNode[];
  readonly leaf: Leaf | undefined;
}

/**
 * The fields below the root.
 * @param leaves of the same schema
 */
export function fieldTree(schema: readonly SchemaElement[], leaves: readonly Leaf[]): ParquetField[] {
  const elements = schema[Symbol.iterator]();
  const waiting = leaves[Symbol.iterator]();
  const next = (): SchemaNode => {
    const element = elements.next().value;
    if (element === undefined) {
      throw corrupt("schema ends early", { field: "schema" });
    }
    // In damaged metadata, the library returns whatever integer type the bytes name.
    const count = Number(element.num_children ?? 0);
    const leaf = count > 0 ? undefined : waiting.next().value;
    return { element, children: Array.from({ length: count }, next), leaf };
  };
  return next().children.map((node) => fieldOf(node, { elementLevels: [], definition: 0 }));
}

/** Levels of the field that contains a node. */
interface Outer {
  readonly elementLevels: readonly number[];
  /** Minimum definition level of a container that is not null. */
  readonly definition: number;
}

/** Levels inside a repeated node. */
function repeatedIn({ elementLevels, definition }: Outer): Outer {
  return { elementLevels: [...elementLevels, definition + 1], definition: definition + 1 };
}

/** A null container has a slot for its fields, unless it is a list or a map. */
function levelsIn({ elementLevels, definition }: Outer, nullable: boolean): FieldLevels {
  const { length: repetition } = elementLevels;
  return { repetition, slot: elementLevels.at(-1) ?? 0, present: definition + (nullable ? 1 : 0) };
}

/** A node as a field; a repeated one is a list that its writer did not annotate. */
function fieldOf(node: SchemaNode, outer: Outer): ParquetField {
  const { element } = node;
  if (element.repetition_type === "REPEATED") {
    const base = { ...levelsIn(outer, false), name: element.name, nullable: false };
    const values = nodeField(node, repeatedIn(outer), false);
    return { ...base, kind: "list", parquetType: "repeated", element: values };
  }
  return nodeField(node, outer, element.repetition_type === "OPTIONAL");
}

function nodeField(node: SchemaNode, outer: Outer, nullable: boolean): ParquetField {
  const { element, children, leaf } = node;
  const { elementLevels } = outer;
  const levels = levelsIn(outer, nullable);
  const base = { ...levels, name: element.name, nullable, parquetType: typeName(element) };
  if (leaf !== undefined) {
    const values = leaf.kind === LOCKED ? leaf.kind : leafKind(element, leaf.type);
    return { ...base, kind: "leaf", leaf, elementLevels, values };
  }
  const inner = { elementLevels, definition: levels.present };
  const [repeated] = children;
  if (repeated !== undefined && children.length === 1 && repeated.element.repetition_type === "REPEATED") {
    if (isList(element)) {
      return { ...base, kind: "list", element: listElement(element, repeated, inner) };
    }
    const [key, value] = repeated.children;
    if (isMap(element) && key !== undefined && repeated.children.length <= 2) {
      const entry = repeatedIn(inner);
      const keys = fieldOf(key, entry);
      return value === undefined
        ? { ...base, kind: "list", element: keys }
        : { ...base, kind: "map", key: keys, value: fieldOf(value, entry) };
    }
  }
  return { ...base, kind: "struct", fields: children.map((child) => fieldOf(child, inner)) };
}

/** The element of an annotated list: the child of the repeated node or, from old writers, the repeated node itself. */
function listElement(list: SchemaElement, repeated: SchemaNode, inner: Outer): ParquetField {
  const [only, ...others] = repeated.children;
  const { name } = repeated.element;
  const isWrapper =
    only !== undefined &&
    others.length === 0 &&
    only.element.repetition_type !== "REPEATED" &&
    name !== "array" &&
    name !== `${list.name}_tuple`;
  return isWrapper ? fieldOf(only, repeatedIn(inner)) : nodeField(repeated, repeatedIn(inner), false);
}

function isList({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  return converted === "LIST" || logical?.type === "LIST";
}

function isMap({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  return converted === "MAP" || converted === "MAP_KEY_VALUE" || logical?.type === "MAP";
}

/** The leaves below a field, in the order of the schema. */
export function leafFields(field: ParquetField): LeafField[] {
  switch (field.kind) {
    case "leaf":
      return [field];
    case "struct":
      return field.fields.flatMap(leafFields);
    case "list":
      return leafFields(field.element);
    case "map":
      return [...leafFields(field.key), ...leafFields(field.value)];
  }
}
