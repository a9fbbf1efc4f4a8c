/** A web server on this machine that records its requests. Servers are closed after the test file has run. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { parseRange } from "./range-header.js";

interface ServerRequest {
  readonly method: string | undefined;
  readonly range: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export interface WebServer {
  readonly url: string;
  readonly asked: ServerRequest[];
  /** Number of responses that the client aborted. */
  readonly cutOff: () => number;
  /** Maximum number of requests in progress at the same time. */
  readonly parallel: () => number;
}

/** @param count number of earlier requests */
export type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void;

export type Headers = Readonly<Record<string, string>>;

const servers: Server[] = [];

export function closeWebServers(): void {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
}

/**
 * @param path of `url`, below the root of the server; every other path also gets an answer
 */
export async function webServer(answer: Answer, path = "c.cfile"): Promise<WebServer> {
  const asked: ServerRequest[] = [];
  let cutOff = 0;
  let running = 0;
  let parallel = 0;
  const server = createServer((request, response) => {
    const { method, headers } = request;
    parallel = Math.max(parallel, ++running);
    response.on("close", () => {
      running--;
      cutOff += response.writableFinished ? 0 : 1;
    });
    asked.push({ method, range: headers.range, headers });
    answer(request, response, asked.length - 1);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/${path}`,
    asked,
    cutOff: () => cutOff,
    parallel: () => parallel,
  };
}

/** Answers ranges as RFC 9110 specifies. `current` returns the file at the time of the request. */
export function ranges(
  current: (
    count: number,
    request: IncomingMessage,
  ) => { readonly bytes: Uint8Array; readonly headers?: Headers },
): Answer {
  return (request, response, count) => {
    const { bytes, headers = {} } = current(count, request);
    const range = parseRange(request.headers.range, bytes.length);
    if (range === undefined) {
      response.writeHead(416, { ...headers, "Content-Range": `bytes */${bytes.length}` }).end();
      return;
    }
    const { start, end, partial } = range;
    response
      .writeHead(partial ? 206 : 200, {
        ...headers,
        ...(partial && { "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}` }),
      })
      .end(bytes.subarray(start, end));
  };
}
