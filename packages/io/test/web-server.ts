/** A web server on this machine that remembers what it was asked. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

interface Asked {
  readonly method: string | undefined;
  readonly range: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export interface WebServer {
  readonly url: string;
  readonly asked: Asked[];
  /** Answers that were cut off by the client. */
  readonly cutOff: () => number;
}

/** @param count requests before this one */
export type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void;

export async function webServer(answer: Answer): Promise<WebServer> {
  const asked: Asked[] = [];
  let cutOff = 0;
  const server = createServer((request, response) => {
    const { method, headers } = request;
    response.on("close", () => {
      cutOff += response.writableFinished ? 0 : 1;
    });
    asked.push({ method, range: headers.range, headers });
    answer(request, response, asked.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/c.cfile`, asked, cutOff: () => cutOff };
}

export type Headers = Readonly<Record<string, string>>;

/** A server that answers ranges as RFC 9110 says. `current` gives the file as it is at that request. */
export function ranges(
  current: (count: number) => { readonly bytes: Uint8Array; readonly headers?: Headers },
): Answer {
  return (request, response, count) => {
    const { bytes, headers = {} } = current(count);
    const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
    const from = first ? Number(first) : Math.max(0, bytes.length - Number(last));
    const to = first && last ? Math.min(Number(last), bytes.length - 1) : bytes.length - 1;
    if (from > to) {
      response.writeHead(416, { ...headers, "Content-Range": `bytes */${bytes.length}` }).end();
      return;
    }
    response
      .writeHead(206, { ...headers, "Content-Range": `bytes ${from}-${to}/${bytes.length}` })
      .end(bytes.subarray(from, to + 1));
  };
}
