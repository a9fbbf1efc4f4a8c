/** Ways in which web servers get ranges wrong; the letters and numbers are those of the field notes. */

export type Misbehaviour =
  /** R13: HEAD is forbidden (403), as with signed URLs. */
  | "no-head"
  /** R14: `Range` is ignored: 200 and the whole file. */
  | "ignores-range"
  /** A 206 with fewer bytes than its `Content-Range` tells. */
  | "short-part"
  /** A 206 that begins elsewhere. */
  | "other-part"
  /** A 206 without `Content-Range`. */
  | "no-content-range"
  /** R18: ranges from the end are answered with 416. */
  | "no-suffix"
  /** The connection breaks in the middle of the body. */
  | "breaks-off"
  /** 503 with `Retry-After: 0`, every other time. */
  | "busy"
  /** A part in a content coding. */
  | "gzip-part"
  /** A part whose `ETag` is another one each time. */
  | "other-etag";
