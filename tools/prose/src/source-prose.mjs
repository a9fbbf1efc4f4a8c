/**
 * Extracts the prose of a source file: its comments, as one Markdown page on which every comment keeps its
 * line, and its messages (string literals that read as text, titles of tests, text of JSX).
 */
import ts from "typescript";

/**
 * @typedef {object} Message
 * @property {number} line counted from 1
 * @property {string} text with `‹…›` for each substitution of a template
 */

/** @typedef {{ comments: string, messages: Message[] }} SourceProse */

/** Replaces each substitution in a message. */
const SUBSTITUTION = "‹…›";

/** Calls whose first argument is a title. */
const TITLED = new Set(["test", "it", "describe", "bench", "group"]);

/** Three words in a row. Shorter strings are names, keys or selectors. */
const READS_AS_TEXT = /\p{L}{2,}[,:;]? +(?:\p{L}+|‹…›)[,:;]? +(?:\p{L}{2,}|‹…›)/u;

const BLOCK_TAG = /^(\s*)@(\w+)(?:\s+\{[^}]*\})?(.*)$/;
const TAGS_OF_NAMED_THINGS = new Set(["param", "property", "typedef", "template", "prop", "callback"]);
const TAGS_OF_CODE = new Set(["example", "import", "see"]);

/**
 * @param {string} file
 * @param {string} text
 * @returns {SourceProse}
 */
export function proseOfSource(file, text) {
  return file.endsWith(".vue") ? proseOfVue(file, text) : proseOfScript(file, text);
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {SourceProse}
 */
function proseOfVue(file, text) {
  const script = text.replaceAll(/^[\s\S]*?<script[^>]*>|<\/script>[\s\S]*$/g, blank);
  const prose = proseOfScript(`${file}.ts`, script);
  const template = /<template>[\s\S]*<\/template>/.exec(text);
  if (template !== null) {
    const words = template[0].replaceAll(/<!--[\s\S]*?-->|<[^>]*>|\{\{[\s\S]*?\}\}/g, blank);
    for (const { 0: run, index } of words.matchAll(/\S[^\n]*\S/g)) {
      if (READS_AS_TEXT.test(run)) {
        prose.messages.push({ line: lineAt(text, template.index + index), text: run });
      }
    }
  }
  return prose;
}

/** @param {string} text */
const blank = (text) => text.replaceAll(/[^\n]/g, " ");

/**
 * @param {string} text
 * @param {number} offset
 */
const lineAt = (text, offset) => text.slice(0, offset).split("\n").length;

/**
 * @param {string} file
 * @param {string} text
 * @returns {SourceProse}
 */
function proseOfScript(file, text) {
  const isTest = /\.test\.ts$|[/]test[/]/.test(file);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @type {string[]} */
  const lines = new Array(source.getLineStarts().length).fill("");
  /** @type {Message[]} */
  const messages = [];
  /** @type {Set<number>} */
  const seen = new Set();

  /** @param {ts.CommentRange[] | undefined} ranges */
  const takeComments = (ranges) => {
    for (const { pos, end } of ranges ?? []) {
      if (!seen.has(pos)) {
        seen.add(pos);
        writeComment(source, text.slice(pos, end), pos, lines);
      }
    }
  };

  /** @param {ts.Node} node */
  const visit = (node) => {
    takeComments(ts.getLeadingCommentRanges(text, node.getFullStart()));
    takeComments(ts.getTrailingCommentRanges(text, node.getEnd()));
    if (node.getChildCount(source) === 0) {
      return;
    }
    node.getChildren(source).forEach(visit);
  };
  visit(source);

  /** @param {ts.Node} node */
  const visitMessages = (node) => {
    const message = messageOf(node, isTest);
    if (message !== undefined && READS_AS_TEXT.test(message)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      messages.push({ line: line + 1, text: message });
    }
    ts.forEachChild(node, visitMessages);
  };
  visitMessages(source);
  return { comments: lines.join("\n"), messages };
}

/**
 * @param {ts.Node} node
 * @param {boolean} isTest
 * @returns {string | undefined}
 */
function messageOf(node, isTest) {
  if (ts.isJsxText(node)) {
    return node.text;
  }
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) {
    return undefined;
  }
  const { parent } = node;
  if (
    ts.isImportDeclaration(parent) ||
    ts.isExportDeclaration(parent) ||
    ts.isTaggedTemplateExpression(parent)
  ) {
    return undefined;
  }
  if (
    isTest &&
    !(ts.isCallExpression(parent) && parent.arguments[0] === node && isTitled(parent.expression))
  ) {
    return undefined;
  }
  return ts.isTemplateExpression(node)
    ? node.head.text + node.templateSpans.map(({ literal }) => SUBSTITUTION + literal.text).join("")
    : node.text;
}

/**
 * `test`, `test.skipIf(…)`, `describe.each(…)`.
 * @param {ts.Expression} callee
 * @returns {boolean}
 */
function isTitled(callee) {
  if (ts.isIdentifier(callee)) {
    return TITLED.has(callee.text);
  }
  return (
    (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) && isTitled(callee.expression)
  );
}

/**
 * Writes the text of a comment to its lines in the source.
 * @param {ts.SourceFile} source
 * @param {string} comment with its delimiters
 * @param {number} start
 * @param {string[]} lines
 */
function writeComment(source, comment, start, lines) {
  const { line: first } = source.getLineAndCharacterOfPosition(start);
  const text = source.text;
  const startsItsLine = text.slice(text.lastIndexOf("\n", start) + 1, start).trim() === "";
  if (comment.startsWith("//")) {
    const words = comment.replace(/^\/\/[/ ]?/, "");
    if (!/^#!|^\s*(@ts-|eslint|biome-|<reference)/.test(words)) {
      // A comment after code is a separate sentence, even if the next line also has a comment.
      lines[first] = startsItsLine || /[.;:,]$/.test(words) ? words : `${words}.`;
    }
    return;
  }
  let isCode = false;
  let hasTag = false;
  comment
    .replace(/^\/\*+/, "")
    .replace(/\s*\*+\/$/, "")
    .split("\n")
    .forEach((raw, i) => {
      let words = i === 0 ? raw.trim() : raw.replace(/^\s*\*? ?/, "");
      const tag = BLOCK_TAG.exec(words);
      if (tag !== null) {
        const [, , name = "", rest = ""] = tag;
        isCode = TAGS_OF_CODE.has(name);
        // As list items, tags become separate blocks without empty lines between them.
        const text = TAGS_OF_NAMED_THINGS.has(name) ? rest.replace(/^\s*(\[[^\]]*\]|\S+)(\s+-)?/, "") : rest;
        words = text.trim() === "" ? "" : `- ${text.trim()}`;
        hasTag = true;
      } else if (hasTag) {
        words = words.trim() === "" ? "" : `  ${words.trim()}`;
      }
      if (!isCode) {
        lines[first + i] = words.replaceAll(/\{@link\s+([^}|]*?)(?:\s*\|\s*([^}]*))?\}/g, (_, name, label) =>
          label === undefined ? `\`${name.trim()}\`` : label,
        );
      }
    });
}
