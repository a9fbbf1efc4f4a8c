/** A file behind an HTTP URL, read by ranges. In the web version of the editor, its server must allow that (CORS). */
import type { RangedFile } from "./ranged-file.js";

/** @throws Error unless the server supports ranges */
export async function openUrlFile(url: string): Promise<RangedFile> {
  const first = await fetch(url, { headers: { Range: "bytes=0-0" } });
  const [, total = ""] = /\/(\d+)$/.exec(first.headers.get("Content-Range") ?? "") ?? [];
  const etag = first.headers.get("ETag");
  await first.body?.cancel();
  if (first.status !== 206 || total === "") {
    throw new Error(`${url}: the server does not support ranges (status ${first.status})`);
  }
  const size = Number(total);
  return {
    size: async () => size,
    read: async (offset, length) => {
      const end = Math.min(offset + length, size);
      if (end <= offset) {
        return new Uint8Array(0);
      }
      const answer = await fetch(url, { headers: { Range: `bytes=${offset}-${end - 1}` } });
      if (answer.status !== 206 || answer.headers.get("ETag") !== etag) {
        throw new Error(`${url}: status ${answer.status}, or the file changed`);
      }
      return new Uint8Array(await answer.arrayBuffer());
    },
  };
}
