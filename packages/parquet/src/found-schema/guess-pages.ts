/** Guesses physical type and levels of a page when no schema is known: those that fit its bytes exactly. */
import { concatBytes, isDamage } from "@cfile/bytes";
import type { ParquetType, SchemaElement } from "hyparquet";
import { isCoded } from "../layout/page-fit.js";
import type { PageStore } from "../layout/page-store.js";
import { expandCodes, type LeafValues } from "../pages/leaf-values.js";
import { rowsOf } from "../pages/page-parts.js";
import { areUtf8 } from "../read/utf8-strings.js";
import { type Leaf, leavesOf } from "../schema/leaf-schema.js";
import type { PagePart } from "../walk/file-part.js";

/** `"required"`, `"optional"`: one value per row; the others: lists with this maximum definition level. */
export type LevelForm = "required" | "optional" | "list1" | "list2" | "list3";

/** A possible interpretation of a page. */
export interface PageGuess {
  readonly form: LevelForm;
  readonly type: ParquetType;
  /** Bytes per value of FIXED_LEN_BYTE_ARRAY. */
  readonly length: number | undefined;
  readonly rows: number;
  /** The values, for closer guesses; for codes, minimum and maximum of the page if known. */
  readonly values: LeafValues | undefined;
}

/** A guessed dictionary. */
export type WordsGuess = Pick<PageGuess, "type" | "length" | "values">;

const FORMS: readonly LevelForm[] = ["optional", "list3", "list2", "list1", "required"];

/** The element of a column, with the groups of a list around it. */
export function guessedElements(
  name: string,
  form: LevelForm,
  leaf: Omit<SchemaElement, "name" | "repetition_type">,
): SchemaElement[] {
  if (form === "required" || form === "optional") {
    return [{ name, repetition_type: form === "optional" ? "OPTIONAL" : "REQUIRED", ...leaf }];
  }
  return [
    {
      name,
      repetition_type: form === "list1" ? "REQUIRED" : "OPTIONAL",
      num_children: 1,
      converted_type: "LIST",
      logical_type: { type: "LIST" },
    },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    { name: "element", repetition_type: form === "list3" ? "OPTIONAL" : "REQUIRED", ...leaf },
  ];
}

function leafOf(form: LevelForm, type: ParquetType, length: number | undefined): Leaf | undefined {
  const own = { type, ...(length === undefined ? {} : { type_length: length }) };
  return leavesOf([{ name: "root", num_children: 1 }, ...guessedElements("c", form, own)])[0];
}

/** Guesses the dictionary of a chunk. */
export async function guessDictionary(part: PagePart, store: PageStore): Promise<WordsGuess | undefined> {
  for (const { type, length } of typesOf(part)) {
    const leaf = type === "BOOLEAN" ? undefined : leafOf("required", type, length);
    const values = leaf && (await orUndefined(store.dictionary(part, leaf)));
    if (values !== undefined && !isUnlikely(values, type)) {
      return { type, length, values };
    }
  }
  return undefined;
}

/** Guesses a data page. @param words the dictionary before it, if any */
export async function guessPage(
  part: PagePart,
  words: WordsGuess | undefined,
  store: PageStore,
): Promise<PageGuess | undefined> {
  const bounds = boundValues(part);
  const types = isCoded(part.header) ? [words ?? bounds].filter((type) => type !== undefined) : typesOf(part);
  // Codes can look like the levels of a page of nulls.
  let empty: PageGuess | undefined;
  for (const form of FORMS.filter((candidate) => hasLevels(part, candidate))) {
    for (const { type, length } of types) {
      const leaf = leafOf(form, type, length);
      const read = leaf && (await orUndefined(store.page(part, leaf, undefined)));
      if (read !== undefined && (isCoded(part.header) || !isUnlikely(read.data.values, type))) {
        const values = isCoded(part.header) ? bounds?.values : expandCodes(read.data.values);
        const guess = { form, type, length, rows: rowsOf(read.data), values };
        if (read.data.values.length > 0) {
          return guess;
        }
        empty ??= guess;
      }
    }
  }
  return empty;
}

/** Minimum and maximum of a page, whose width is that of the type unless they are text. */
function boundValues({ header: { bounds } }: PagePart): WordsGuess | undefined {
  if (bounds === undefined || bounds.least.length !== bounds.most.length) {
    return undefined;
  }
  const bytes = concatBytes([bounds.least, bounds.most]);
  const width = bounds.least.length;
  return bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
    ? { type: "BYTE_ARRAY", length: undefined, values: undefined }
    : {
        type: width === 4 ? "INT32" : "INT64",
        length: undefined,
        values: { kind: "fixed", length: 2, width, bytes },
      };
}

/** Whether a v2 page has the levels of the form; v1 headers do not state it. */
function hasLevels({ header }: PagePart, form: LevelForm): boolean {
  if (header.kind !== "data-v2") {
    return true;
  }
  const { repetitionBytes, definitionBytes } = header;
  return form.startsWith("list")
    ? repetitionBytes > 0
    : repetitionBytes === 0 && definitionBytes > 0 === (form === "optional");
}

/** Types that the encoding allows, least ambiguous first. */
function typesOf({
  header,
}: PagePart): { readonly type: ParquetType; readonly length: number | undefined }[] {
  const { encoding, valueCount, uncompressedSize } = header;
  const plain = (...types: ParquetType[]) => types.map((type) => ({ type, length: undefined }));
  const width = valueCount === 0 ? 0 : Math.floor(uncompressedSize / valueCount);
  switch (encoding) {
    case "DELTA_BINARY_PACKED":
      return plain("INT64", "INT32");
    case "DELTA_LENGTH_BYTE_ARRAY":
    case "DELTA_BYTE_ARRAY":
      return plain("BYTE_ARRAY");
    case "BYTE_STREAM_SPLIT":
      return plain("DOUBLE", "FLOAT");
    case "RLE":
      return plain("BOOLEAN");
    default: {
      const fixed =
        width > 0 && ![4, 8, 12].includes(width)
          ? [{ type: "FIXED_LEN_BYTE_ARRAY", length: width } as const]
          : [];
      return [...plain("BYTE_ARRAY", "INT64", "INT32", "INT96", "BOOLEAN"), ...fixed];
    }
  }
}

/** Small integers look like strings of zero bytes. */
function isUnlikely(values: LeafValues, type: ParquetType): boolean {
  return (
    type === "BYTE_ARRAY" &&
    values.kind === "binary" &&
    values.data.length > 0 &&
    values.data.every((byte) => byte === 0)
  );
}

async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isDamage(error)) {
      return undefined;
    }
    throw error;
  }
}

/** A closer guess of the type, from values: floats by their exponents, text by its bytes. */
export function closerType(
  type: ParquetType,
  samples: readonly LeafValues[],
): Omit<SchemaElement, "name" | "repetition_type"> {
  if (type === "INT32" || type === "INT64") {
    const width = type === "INT32" ? 4 : 8;
    let floats = 0;
    let others = 0;
    for (const sample of samples) {
      const bytes = sample.kind === "fixed" ? sample.bytes : new Uint8Array(0);
      for (let at = width - 1; at < bytes.length; at += width) {
        const exponent = (bytes[at] as number) & 0x7f;
        // Zero fits both.
        const isZero = exponent === 0 && bytes[at - 1] === 0;
        floats += exponent >= 0x30 && exponent <= 0x50 ? 1 : 0;
        others += isZero || (exponent >= 0x30 && exponent <= 0x50) ? 0 : 1;
      }
    }
    return { type: floats > 9 * others && floats > 0 ? (width === 4 ? "FLOAT" : "DOUBLE") : type };
  }
  const isText =
    type === "BYTE_ARRAY" && samples.every((values) => values.kind !== "binary" || areUtf8(values));
  return isText ? { type, converted_type: "UTF8", logical_type: { type: "STRING" } } : { type };
}
