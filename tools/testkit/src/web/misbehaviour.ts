/** Mistakes that real web servers make with ranges. */

export type Misbehaviour =
  /** HEAD is forbidden (403), as with signed URLs. */
  | "no-head"
  /** `Range` is ignored: 200 and the whole file. */
  | "ignores-range"
  /** A 206 with fewer bytes than its `Content-Range` announces. */
  | "short-part"
  /** A 206 that starts elsewhere. */
  | "other-part"
  /** A 206 without `Content-Range`. */
  | "no-content-range"
  /** 416 for suffix ranges (`bytes=-N`). */
  | "no-suffix"
  /** The connection breaks in the middle of the body. */
  | "breaks-off"
  /** 503 with `Retry-After: 0` for every other request. */
  | "busy"
  /** A part with a content coding. */
  | "gzip-part"
  /** A part with a new `ETag` each time. */
  | "other-etag";
