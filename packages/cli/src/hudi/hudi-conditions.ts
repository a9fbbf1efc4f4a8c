/** `--where` for Hudi tables. */
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { HudiColumn } from "@cfile/hudi";
import { parseWhere } from "../options/where-expression.js";

/** The conditions, on columns with single values. @throws UsageError for invalid ones */
export function conditionsOf(texts: readonly string[], columns: readonly HudiColumn[]): NamedCondition[] {
  const tested = columns.flatMap(({ name, scalar }) =>
    scalar === undefined ? [] : { name, type: scalar.type, array: false, scale: scalar.scale },
  );
  return texts.map((text) => parseWhere(text, tested));
}
