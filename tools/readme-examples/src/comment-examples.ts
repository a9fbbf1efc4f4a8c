/** The examples in doc comments: what stands behind `@example`, up to the next tag or the comment's end. */

/** A source as a page of its examples: they keep their line numbers, all else is left out. */
export function examplesOfComments(source: string): string {
  let isExample = false;
  return source
    .split("\n")
    .map((line) => {
      const [, text] = /^\s*\*(?: (.*))?$/.exec(line) ?? [];
      const tag = /^@(\w+)/.exec(text ?? "")?.[1];
      if (/^\s*\*\/|^[^*]*$/.test(line)) {
        isExample = false;
      } else if (tag !== undefined) {
        isExample = tag === "example";
        return "";
      }
      return isExample ? (text ?? "") : "";
    })
    .join("\n");
}
