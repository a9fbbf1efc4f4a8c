/** The part of an HTTP response that reads need. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** The body, piece by piece as it arrives; stopping early ends the request. */
  parts(): AsyncIterable<Uint8Array>;
  /** Ends the request if its body was not read. */
  discard(): void;
}

/** The response of `fetch`. */
export function fetchResponse(response: Response): HttpResponse {
  const { status, headers, body } = response;
  return {
    status,
    headers,
    parts: () => partsOf(body),
    discard: () => {
      if (!response.bodyUsed) {
        void body?.cancel().catch(() => undefined);
      }
    },
  };
}

/** Not every browser can iterate over a stream. */
async function* partsOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      yield part.value;
    }
  } finally {
    void reader?.cancel().catch(() => undefined);
  }
}
