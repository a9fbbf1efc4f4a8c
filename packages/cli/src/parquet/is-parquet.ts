import { readExactly, sizeOf } from "@cfile/io";
import { formOfName } from "../convert/table-form.js";
import type { CliContext } from "../program/context.js";

const MAGIC = "PAR1";

/** Whether a path leads to a Parquet file, by its name or its first bytes. What cannot be read is none. */
export async function isParquetFile({ sources, io }: CliContext, path: string): Promise<boolean> {
  if (formOfName(path) === "parquet") {
    return true;
  }
  try {
    const source = await sources.probe(path);
    try {
      const length = Math.min(MAGIC.length, await sizeOf(source));
      return new TextDecoder().decode(await readExactly(source, 0, length, { signal: io.signal })) === MAGIC;
    } finally {
      await source.close?.();
    }
  } catch {
    io.signal?.throwIfAborted();
    return false;
  }
}
