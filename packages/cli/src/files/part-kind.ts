/** Which part of a row set a damaged CFile is. */
import type { FileKind } from "@cfile/format";
import type { InputSources } from "../options/input-sources.js";

/**
 * The kind of a damaged CFile by its footer. A column for which keys are given is an ad-hoc index: its values are those keys.
 *
 * @returns `undefined` if the footer is lost
 */
export async function kindOfPart(
  sources: InputSources,
  path: string,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<FileKind | "adhoc-index" | undefined> {
  const { damagedFileKind } = await import("@cfile/format/recover");
  const source = await sources.probe(path);
  try {
    const kind = await damagedFileKind(source, { signal });
    return kind === "column" && keys.length > 0 ? "adhoc-index" : kind;
  } finally {
    await source.close?.();
  }
}
