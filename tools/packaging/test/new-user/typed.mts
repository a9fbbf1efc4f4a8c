import { CFileError, createCFile, openCFile } from "cfile";

export async function copyColumn(bytes: Uint8Array, target: string): Promise<number> {
  const file = await openCFile(bytes);
  const writer = await createCFile(target, { type: "INT32", encoding: "BIT_SHUFFLE" });
  let rows = 0;
  try {
    for await (const batch of file.scan()) {
      await writer.append(batch);
      rows += batch.toArray().length;
    }
    await writer.finish();
  } catch (error) {
    if (error instanceof CFileError) {
      const code: string = error.code;
      console.log(code, error.offset);
    }
    throw error;
  }
  return rows;
}

// @ts-expect-error: there is no such encoding
await createCFile("wrong.cfile", { type: "INT32", encoding: "ZIGZAG" });
