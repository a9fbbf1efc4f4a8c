/** What a path or URL stands for. */
export type LocationKind = "file" | "web" | "s3" | "inline" | "unknown";

/**
 * `"file"`: a path or `file:` URL; `"web"`: `http:` and `https:`; `"s3"`: `s3:`; `"inline"`: `blob:` and `data:`, which only this
 * program knows; `"unknown"`: other URLs. Text counts as one of those when it goes on with `//`: `a:b` is a path.
 */
export function locationKind(location: string | URL): LocationKind {
  const text = String(location);
  if (/^(?:blob|data):/i.test(text)) {
    return "inline";
  }
  if (/^https?:\/\//i.test(text)) {
    return "web";
  }
  if (/^s3:\/\//i.test(text)) {
    return "s3";
  }
  // Drives of Windows have one letter.
  return /^(?!file:)[a-z][a-z\d+.-]+:\/\//i.test(text) ? "unknown" : "file";
}
