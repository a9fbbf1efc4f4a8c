/** Writes a file piece by piece. */
import { openSink, type SinkInput } from "@cfile/io";

export type Add = (piece: Uint8Array) => Promise<void>;

/** Writes a file; removes it when `write` fails. */
export async function toSink(
  target: SinkInput,
  write: (add: Add) => Promise<void>,
): Promise<{ readonly bytes: number }> {
  const sink = await openSink(target);
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
