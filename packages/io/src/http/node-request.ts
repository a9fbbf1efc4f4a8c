/**
 * Sends GET requests with `node:http`, which takes half the processor time of Node's `fetch`. Everything that needs more than one plain
 * request is left to `fetch`: https, redirects, content codings, proxies.
 */
import type { IncomingMessage } from "node:http";
import { builtinModule } from "@cfile/bytes";
import type { HttpResponse } from "./http-response.js";

/** A caller that replaces it expects to see the requests. */
const nativeFetch = globalThis.fetch;

/** Node's HTTP client, if it can replace `fetch` for a URL. */
function clientFor(url: string): typeof import("node:http") | undefined {
  const dispatcher: object | undefined = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"));
  const isUsual =
    globalThis.fetch === nativeFetch &&
    // A proxy is a dispatcher of another class.
    (dispatcher === undefined || dispatcher.constructor.name === "Agent") &&
    !("Deno" in globalThis || "Bun" in globalThis);
  return isUsual && /^http:/i.test(url)
    ? builtinModule<{ "node:http": typeof import("node:http") }, "node:http">("node:http")
    : undefined;
}

/** @returns the response; `undefined` if the request must go through `fetch` */
export async function nodeRequest(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<HttpResponse | undefined> {
  const client = clientFor(url);
  if (client === undefined) {
    return undefined;
  }
  signal?.throwIfAborted();
  const fields = { "Cache-Control": "no-cache", "Accept-Encoding": "identity", ...headers };
  const message = await new Promise<IncomingMessage | undefined>((resolve, reject) => {
    const request = client.get(url, { headers: fields }, (answer) => {
      // The reader gets the error; without a listener, an error between two reads would end the process.
      answer.on("error", () => undefined);
      resolve(answer);
    });
    // Given the signal, Node would also destroy the connection that another request has taken over.
    const abort = (): void => void request.destroy();
    signal?.addEventListener("abort", abort, { once: true });
    request.on("close", () => signal?.removeEventListener("abort", abort));
    request.on("error", (error: NodeJS.ErrnoException) => {
      if (request.reusedSocket && error.code === "ECONNRESET" && signal?.aborted !== true) {
        // The server closed an idle connection just as the request was sent.
        resolve(undefined);
      } else {
        reject(error);
      }
    });
  });
  const { statusCode: status = 0, headers: sent } = message ?? {};
  if (
    message === undefined ||
    (status >= 300 && status < 400) ||
    (status === 200 && sent?.["content-encoding"])
  ) {
    message?.destroy();
    return undefined;
  }
  return {
    status,
    headers: {
      get: (name) => {
        const value = message.headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(", ") : (value ?? null);
      },
    },
    parts: () => plainBytes(message),
    discard: () => {
      if (!message.readableDidRead) {
        message.destroy();
      }
    },
  };
}

/** Node's pieces are a `Buffer`, whose methods differ. */
async function* plainBytes(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const { buffer, byteOffset, length } of pieces) {
    yield new Uint8Array(buffer, byteOffset, length);
  }
}
