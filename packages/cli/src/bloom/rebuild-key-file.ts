/** `cfile recover` for Bloom files and ad-hoc indexes: both are rebuilt from the key columns. */
import { printable } from "@cfile/cell-text";
import { rebuildAdhocIndex, rebuildBloomFile } from "@cfile/rowset/recover";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { startProgress } from "../program/output/progress.js";
import { counted, sizeText } from "../records/quantity.js";

interface Rebuilding {
  readonly kind: "bloom" | "adhoc-index";
  readonly source: string;
  readonly keys: readonly string[];
  readonly target: string;
  readonly sync: boolean;
  readonly json: boolean;
}

export async function rebuildKeyFile(
  { io, stdout }: CliContext,
  { kind, source, keys, target, sync, json }: Rebuilding,
): Promise<void> {
  const what = kind === "bloom" ? "Bloom file" : "ad-hoc index";
  if (keys.length === 0) {
    throw new UsageError(`missing option: --keys (the ${what} is rebuilt from the files of its key columns)`);
  }
  const progress = startProgress(io, "rebuilding", 1);
  const options = {
    sync,
    signal: io.signal,
    onProgress: ({ done, total }: { readonly done: number; readonly total: number }) =>
      progress.update(done / Math.max(1, total)),
  };
  if (kind === "bloom") {
    const rebuilt = await rebuildBloomFile(keys, target, { ...options, like: source }).finally(progress.stop);
    const { bytes, blocks, filterBytes, sizingFrom } = rebuilt;
    const like = sizingFrom === "filters" ? `as in ${printable(source)}` : "Kudu's default";
    await stdout.line(
      json
        ? JSON.stringify({
            path: target,
            kind,
            keys: rebuilt.keys,
            bytes,
            filters: blocks,
            filter_bytes: filterBytes,
            sizing_from: sizingFrom,
          })
        : `${printable(target)}: ${what} of ${counted(rebuilt.keys, "key")}, ${counted(blocks, "filter")} of ${filterBytes} bytes (${like}), ${sizeText(bytes)}`,
    );
    return;
  }
  const { rows, bytes } = await rebuildAdhocIndex(keys, target, options).finally(progress.stop);
  await stdout.line(
    json
      ? JSON.stringify({ path: target, kind, keys: rows, bytes })
      : `${printable(target)}: ${what} of ${counted(rows, "key")}, ${sizeText(bytes)}`,
  );
}
