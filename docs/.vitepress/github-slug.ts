/** The anchor that GitHub gives a heading: letters, digits, hyphens; spaces become hyphens, all else is dropped. */
export function githubSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}
