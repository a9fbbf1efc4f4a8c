/** Writes a file of this size, with incompressible numbers. */
import { batchFromValues } from "@cfile/encodings/batches";
import { createCFile } from "cfile";

const BATCH = 1 << 16;

/** @returns rows written */
export async function writeLarge(path: string, bytes: number): Promise<number> {
  await using writer = await createCFile(path, {
    type: "INT64",
    encoding: "PLAIN_ENCODING",
    blockSize: 1 << 20,
    sync: false,
  });
  const values = new BigInt64Array(BATCH);
  for (let i = 0; i < BATCH; i++) {
    values[i] = BigInt.asIntN(64, BigInt(i) * 0x9e3779b97f4a7c15n);
  }
  const batch = batchFromValues({ type: "INT64" }, [...values]);
  let rows = 0;
  while (rows * 8 < bytes) {
    await writer.append(batch);
    rows += BATCH;
  }
  await writer.finish();
  return rows;
}
