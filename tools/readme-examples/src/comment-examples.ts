/** Examples in doc comments: from `@example` to the next tag or the end of the comment. */

/** A source reduced to its examples. They keep their line numbers. */
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
