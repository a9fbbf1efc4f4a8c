/** Fenced code blocks of a Markdown text. */

export interface CodeBlock {
  /** The info string after the opening fence, such as `js`. */
  language: string;
  text: string;
  /** Line of the opening fence, counted from 1. */
  line: number;
  /** Whether only empty lines separate this block from the previous one. */
  followsBlock: boolean;
}

export interface Example {
  language: string;
  code: string;
  line: number;
  /** The `text` block directly after it: the expected output. */
  output: string | undefined;
}

export function parseCodeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { fence: string; language: string; line: number; lines: string[] } | undefined;
  let followsBlock = false;
  for (const [index, line] of markdown.split(/\r?\n/).entries()) {
    if (open !== undefined) {
      if (line.trimEnd() === open.fence) {
        const { language, line: start, lines } = open;
        blocks.push({ language, line: start, text: lines.join("\n"), followsBlock });
        open = undefined;
        followsBlock = true;
      } else {
        open.lines.push(line);
      }
      continue;
    }
    const fence = /^(`{3,})(\w*)/.exec(line);
    if (fence !== null) {
      open = { fence: fence[1] ?? "", language: fence[2] ?? "", line: index + 1, lines: [] };
    } else if (line.trim() !== "") {
      followsBlock = false;
    }
  }
  return blocks;
}

/** Blocks in one of the languages, each with the output shown on the page. */
export function findExamples(markdown: string, languages: readonly string[]): Example[] {
  const blocks = parseCodeBlocks(markdown);
  return blocks.flatMap(({ language, text, line }, index) => {
    const next = blocks[index + 1];
    const output = next?.language === "text" && next.followsBlock ? next.text : undefined;
    return languages.includes(language) ? [{ language, code: text, line, output }] : [];
  });
}

/** The file name in a comment on the first line, `// sum.mjs`, by which other examples of the page import the code. */
export function fileNameOf({ code }: Pick<Example, "code">): string | undefined {
  return /^\/\/ ([\w-]+\.mjs)\n/.exec(code)?.[1];
}

/**
 * Whether `actual` is the output that a page shows. Trailing blanks are ignored; a line that contains only
 * `…` on the page matches any number of lines.
 */
export function matchesOutput(shown: string, actual: string): boolean {
  const [first = [], ...rest] = splitAtEllipses(lines(shown));
  const have = lines(actual);
  const last = rest.pop();
  if (last === undefined) {
    return have.length === first.length && startsWith(have, first, 0);
  }
  if (!startsWith(have, first, 0)) {
    return false;
  }
  let at = first.length;
  for (const part of rest) {
    while (at + part.length <= have.length && !startsWith(have, part, at)) {
      at++;
    }
    at += part.length;
  }
  return at + last.length <= have.length && startsWith(have, last, have.length - last.length);
}

function lines(text: string): string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd());
}

function splitAtEllipses(shown: string[]): string[][] {
  const parts: string[][] = [[]];
  for (const line of shown) {
    if (line.trim() === "…") {
      parts.push([]);
    } else {
      parts.at(-1)?.push(line);
    }
  }
  return parts;
}

function startsWith(have: string[], part: string[], at: number): boolean {
  return part.every((line, i) => have[at + i] === line);
}
