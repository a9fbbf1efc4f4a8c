/** The kind of a path or URL; `"inline"` URLs are `blob:` and `data:`. */
export type LocationKind = "file" | "web" | "s3" | "inline" | "unknown";

const KINDS: readonly (readonly [RegExp, LocationKind])[] = [
  [/^(?:blob|data):/i, "inline"],
  [/^https?:\/\//i, "web"],
  [/^s3:\/\//i, "s3"],
  // Windows drives have one letter; `a:b` is a path.
  [/^(?!file:)[a-z][a-z\d+.-]+:\/\//i, "unknown"],
];

/** Everything without a known or `//` scheme is a file. */
export function locationKind(location: string | URL): LocationKind {
  const text = String(location);
  return KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? "file";
}
