/** A web server with ranges on this machine, which counts what it is asked for. */
import { createServer } from "node:http";
import { onTestFinished } from "vitest";

export interface HttpServer {
  readonly url: string;
  readonly ranges: string[];
  /** Bytes sent as bodies. */
  readonly bytes: () => number;
  /** Most requests that were being answered at the same time. */
  readonly parallel: () => number;
  /** What is sent from now on. */
  readonly replace: (bytes: Uint8Array, etag: string) => void;
}

/** @param latency milliseconds before an answer */
export async function serve(first: Uint8Array, latency = 0): Promise<HttpServer> {
  let current = { bytes: first, etag: '"1"' };
  const ranges: string[] = [];
  let sent = 0;
  let running = 0;
  let parallel = 0;
  const server = createServer((request, response) => {
    const { bytes, etag } = current;
    const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
    const start = from ? Number(from) : Math.max(0, bytes.length - Number(to));
    const end = from && to ? Math.min(Number(to) + 1, bytes.length) : bytes.length;
    ranges.push(`${start}-${end}`);
    running++;
    parallel = Math.max(parallel, running);
    response.on("close", () => {
      running--;
    });
    setTimeout(() => {
      sent += end - start;
      response
        .writeHead(206, { ETag: etag, "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}` })
        .end(bytes.subarray(start, end));
    }, latency);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/c.cfile`,
    ranges,
    bytes: () => sent,
    parallel: () => parallel,
    replace: (bytes, etag) => {
      current = { bytes, etag };
    },
  };
}
