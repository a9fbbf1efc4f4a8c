/** What is used of an HTTP answer: a `Response` is one, and so is an answer of Node's own client. */

export interface HttpAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** `null` for an answer that has none. */
  readonly body: HttpBody | null;
}

export interface HttpHeaders {
  /** Names in any case; `null` for a header that was not sent. */
  get(name: string): string | null;
}

export interface HttpBody {
  /** Pieces as they arrive; fails when the body breaks off. */
  getReader(): HttpBodyReader;
  /** The rest is not wanted. */
  cancel(): Promise<void>;
}

export interface HttpBodyReader {
  read(): Promise<{ readonly done: false; readonly value: Uint8Array } | { readonly done: true }>;
  releaseLock(): void;
}

/** The part of `RequestInit` that is used. */
export interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly cache?: RequestCache;
  readonly signal?: AbortSignal;
}
