/** Writes a file of this size whose cells are zeros. It takes almost no disk space, because pages of only zeros are skipped. */
import { open } from "node:fs/promises";
import { BinaryBatch } from "@cfile/encodings";
import type { ByteSink } from "@cfile/io";
import { createCFile } from "cfile";

const CELL = 1 << 16;
const CELLS = 64;
const PAGE = 1 << 16;

async function sparseSink(path: string): Promise<ByteSink> {
  const handle = await open(path, "w");
  const zeros = Buffer.alloc(PAGE);
  let position = 0;
  const close = async (): Promise<void> => {
    await handle.truncate(position);
    await handle.close();
  };
  return {
    name: path,
    write: async (bytes) => {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let at = 0; at < buffer.length; at += PAGE) {
        const page = buffer.subarray(at, at + PAGE);
        if (!page.equals(zeros.subarray(0, page.length))) {
          await handle.write(page, 0, page.length, position + at);
        }
      }
      position += buffer.length;
    },
    close,
    abort: close,
  };
}

/** @returns rows written */
export async function writeSparse(path: string, bytes: number): Promise<number> {
  await using writer = await createCFile(await sparseSink(path), {
    type: "BINARY",
    encoding: "PLAIN_ENCODING",
    blockSize: CELL * CELLS,
  });
  const offsets = Int32Array.from({ length: CELLS + 1 }, (_, i) => i * CELL);
  const data = new Uint8Array(CELL * CELLS);
  const rows = { type: "BINARY", length: CELLS, firstRow: 0, validity: undefined, nullCount: 0 } as const;
  const batch = new BinaryBatch(rows, offsets, data);
  let written = 0;
  while (written * CELL < bytes) {
    await writer.append(batch);
    written += CELLS;
  }
  await writer.finish();
  return written;
}
