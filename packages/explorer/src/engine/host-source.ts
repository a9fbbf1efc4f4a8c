/** Files that the host of the page reads, such as an editor: one message per range. */
import { CFILE_ERROR_CODES, CFileError } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import type { HostAnswer, HostRead } from "../protocol.js";

let host: MessagePort | undefined;
let sent = 0;
const waiting = new Map<number, (answer: HostAnswer) => void>();

export function connectHost(port: MessagePort): void {
  host = port;
  port.addEventListener("message", ({ data }: MessageEvent<HostAnswer>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  port.start();
}

export function hostSource(file: number, name: string): ByteSource {
  const ask = async (range: Pick<HostRead, "offset" | "length">): Promise<HostAnswer> => {
    const id = sent++;
    const answered = new Promise<HostAnswer>((resolve) => waiting.set(id, resolve));
    host?.postMessage({ id, file, ...range } satisfies HostRead);
    const answer = await answered;
    if (answer.error !== undefined) {
      const { code, reason } = answer.error;
      throw new CFileError(CFILE_ERROR_CODES.find((known) => known === code) ?? "E_IO", reason, {
        path: name,
      });
    }
    return answer;
  };
  return {
    name,
    size: async () => (await ask({ offset: 0 })).size ?? 0,
    read: async (offset, length) => (await ask({ offset, length })).bytes ?? new Uint8Array(0),
  };
}
