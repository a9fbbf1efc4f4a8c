/** Writes a file piece by piece. */
import { openSink } from "@cfile/io";
import type { FileSinkOptions } from "@cfile/io/file";

export type Add = (piece: Uint8Array) => Promise<void>;

/** Writes a file; removes it when `write` fails. */
export async function toSink(
  target: string,
  write: (add: Add) => Promise<void>,
  options: FileSinkOptions = {},
): Promise<{ readonly bytes: number }> {
  const sink = await openSink(target, options);
  let bytes = 0;
  try {
    await write((piece) => {
      bytes += piece.length;
      return sink.write(piece);
    });
    await sink.close();
    return { bytes };
  } catch (error) {
    await sink.abort(error);
    throw error;
  }
}
