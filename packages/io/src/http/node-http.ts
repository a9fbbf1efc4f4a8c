/**
 * GET requests by Node's own client, `node:http` and `node:https`, which takes half the time of its `fetch` for large bodies.
 * To the outside it does what `fetch` does: redirects, content codings of whole files, kept connections, abort.
 */
import type { Agent, IncomingMessage, get as NodeGet } from "node:http";
import { CFileError, invalidArgument } from "@cfile/bytes";
import { builtinModule, nodeModule } from "../file/node-files.js";
import { whenAborted } from "../source/abort-listener.js";
import type { HttpAnswer, HttpRequest } from "./http-answer.js";
import { brokenOff, NodeBody, plainBody } from "./node-http-body.js";

/** Who replaces it wants to see the requests. */
const nativeFetch = globalThis.fetch;

const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];
const MOST_REDIRECTS = 20;
/** Not for another origin (Fetch, "HTTP-redirect fetch"). */
const PRIVATE_HEADERS = ["authorization", "proxy-authorization", "cookie", "host"];
/** A connection that is not used for so many milliseconds is closed, or sooner when the server says so. */
const IDLE = 4000;

/** What `fetch` of Node sends with ranges. */
const USUAL_HEADERS = {
  accept: "*/*",
  "accept-language": "*",
  "accept-encoding": "identity",
  "user-agent": "node",
};

const CACHE_HEADERS: Readonly<Partial<Record<RequestCache, Readonly<Record<string, string>>>>> = {
  "no-store": { "cache-control": "no-cache", pragma: "no-cache" },
  reload: { "cache-control": "no-cache", pragma: "no-cache" },
  "no-cache": { "cache-control": "max-age=0" },
};

/** By protocol; unused connections keep no process alive. */
let agents: Readonly<Record<string, Agent>> | undefined;

/**
 * Node's client for the URL; `undefined` outside Node, for other protocols, and where `fetch` was replaced or told another way (a
 * proxy, certificates), which it would not follow.
 */
export function nodeHttpFor(
  url: string,
): ((url: string, request: HttpRequest) => Promise<HttpAnswer>) | undefined {
  return /^https?:/i.test(url) && isNode() && isUsualFetch() ? nodeHttp : undefined;
}

/** Others have `node:http` too, over their own `fetch`. */
function isNode(): boolean {
  const versions: NodeJS.Dict<string> = builtinModule("node:process")?.versions ?? {};
  const others = ["bun", "deno", "electron"].some((name) => versions[name] !== undefined);
  return !others && builtinModule("node:http") !== undefined;
}

function isUsualFetch(): boolean {
  const dispatcher: unknown = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"));
  if (globalThis.fetch !== nativeFetch || typeof dispatcher !== "object" || dispatcher === null) {
    return globalThis.fetch === nativeFetch;
  }
  const options = Reflect.ownKeys(dispatcher).find((key) => String(key) === "Symbol(options)");
  const { connect } = (options && Reflect.get(dispatcher, options)) ?? {};
  return dispatcher.constructor.name === "Agent" && connect === undefined;
}

async function nodeHttp(location: string, { headers, cache, signal }: HttpRequest): Promise<HttpAnswer> {
  signal?.throwIfAborted();
  const fields: Record<string, string> = { ...USUAL_HEADERS, ...(cache && CACHE_HEADERS[cache]) };
  for (const [name, value] of Object.entries(headers)) {
    fields[name.toLowerCase()] = value;
  }
  let url = new URL(location);
  if (url.username !== "" || url.password !== "") {
    throw invalidArgument("a URL with a name or a password is not requested; send an Authorization header", {
      path: location,
    });
  }
  for (let redirects = 0; ; redirects++) {
    const message = await exchange(url, fields, signal);
    const next = REDIRECTS.includes(message.statusCode) ? message.headers.location : undefined;
    if (next === undefined) {
      return answerOf(message, location);
    }
    discard(message);
    const to = redirected(url, next);
    if (redirects === MOST_REDIRECTS) {
      throw new CFileError("E_IO", `there are more than ${MOST_REDIRECTS} redirects`, { path: location });
    }
    if (to.origin !== url.origin) {
      for (const name of PRIVATE_HEADERS) {
        delete fields[name];
      }
    }
    url = to;
  }
}

/** One request, up to the headers of its answer. */
function exchange(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
  isRepeated = false,
): Promise<IncomingMessage> {
  const [http, https] = [nodeModule("node:http"), nodeModule("node:https")];
  agents ??= {
    "http:": new http.Agent({ keepAlive: true, timeout: IDLE }),
    "https:": new https.Agent({ keepAlive: true, timeout: IDLE }),
  };
  const get: typeof NodeGet = url.protocol === "https:" ? https.get : http.get;
  const agent = isRepeated ? false : agents[url.protocol];
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const request = get(url, { headers, ...(agent !== undefined && { agent }) }, (message) => {
      isAnswered = true;
      resolve(message);
    });
    const listening = signal && whenAborted(signal, () => void request.destroy());
    request.on("error", (error: NodeJS.ErrnoException) => {
      const isReset = error.code === "ECONNRESET" || error.code === "EPIPE";
      // The server closed a kept connection at the moment that it was used again: it has not seen the request.
      if (isReset && request.reusedSocket && !isAnswered && !isRepeated && signal?.aborted !== true) {
        isAnswered = true;
        resolve(exchange(url, headers, signal, true));
      } else {
        reject(error);
      }
    });
    request.on("close", () => {
      listening?.end();
      reject(brokenOff(url.href));
    });
  });
}

function answerOf(message: IncomingMessage, path: string): HttpAnswer {
  const { statusCode: status = 0, headers } = message;
  return {
    status,
    headers: {
      get(name) {
        const value = headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(", ") : (value ?? null);
      },
    },
    body: new NodeBody(plainBody(message, path), path),
  };
}

/** @throws CFileError `E_IO` for what is no `http:` or `https:` URL, or has a name or a password */
function redirected(from: URL, location: string): URL {
  // Node gives the bytes of headers one by one.
  const text = new TextDecoder().decode(Uint8Array.from(location, (byte) => byte.charCodeAt(0)));
  const to = URL.canParse(text, from) ? new URL(text, from) : undefined;
  if (to === undefined || !/^https?:$/.test(to.protocol) || to.username !== "" || to.password !== "") {
    throw new CFileError("E_IO", `the server redirects to ${text}, which is not followed`, {
      path: from.href,
      field: "Location",
    });
  }
  return to;
}

/** The connection of a redirect may serve again when its body is short. */
function discard(message: IncomingMessage): void {
  message.on("error", () => undefined);
  if (Number(message.headers["content-length"] ?? Number.NaN) <= 65_536) {
    // A body that never comes keeps no process alive.
    message.socket.unref();
    message.resume();
  } else {
    message.destroy();
  }
}
