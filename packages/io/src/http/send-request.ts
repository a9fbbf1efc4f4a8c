/** Sends GET requests: with the caller's `fetch`, with Node's own client where that suffices, or with the global `fetch`. */
import { fetchResponse, type HttpResponse } from "./http-response.js";
import { nodeRequest } from "./node-request.js";

/** Options for sending requests. */
export interface RequestOptions {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Sends the requests: a client with credentials or behind a proxy, for example. Default: the global `fetch`; in Node, `node:http` if
   * one plain request suffices.
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Passed to `fetch`. Default `"no-store"`: browsers serve parallel ranges of one URL poorly from their cache. */
  readonly cache?: RequestCache | undefined;
  /** Passed to `fetch`: whether cookies are sent to other origins. */
  readonly credentials?: RequestCredentials | undefined;
}

/** @param own headers of this request, sent with those of the options */
export async function sendRequest(
  url: string,
  own: Readonly<Record<string, string>>,
  { headers, fetch, cache, credentials }: RequestOptions,
  signal?: AbortSignal,
): Promise<HttpResponse> {
  const fields = { ...headers, ...own };
  const isPlain = fetch === undefined && cache === undefined && credentials === undefined;
  const response = isPlain ? await nodeRequest(url, fields, signal) : undefined;
  return (
    response ??
    fetchResponse(
      await (fetch ?? globalThis.fetch)(url, {
        headers: fields,
        cache: cache ?? "no-store",
        ...(credentials && { credentials }),
        ...(signal && { signal }),
      }),
    )
  );
}
