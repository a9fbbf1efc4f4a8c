/**
 * The words of a Markdown page at their original offsets. Everything else (code, addresses, markup, paths) is
 * replaced by spaces. Line breaks are kept.
 */
import { parse } from "@textlint/markdown-to-ast";

/** Replaces inline code, so that no phrase spans it. */
const CODE = "‹";

const PATHS = /(?:https?:\/\/|docs\/|\.{0,2}\/|@[\w-]+\/)[^\s)\]]*|\b[\w.-]+\/[\w./#-]+\.\w+[#\w.-]*/g;

/**
 * @typedef {object} Node
 * @property {string} type
 * @property {readonly [number, number]} range
 * @property {string} [value]
 * @property {readonly Node[]} [children]
 */

/**
 * @param {string} markdown
 * @returns {string}
 */
export function plainText(markdown) {
  const root = parsePage(markdown);
  const out = Array.from(markdown, (unit) => (unit === "\n" ? "\n" : " ".repeat(unit.length))).join("");
  const pieces = [];
  let at = 0;
  for (const { type, range } of textNodes(root)) {
    const [start, end] = range;
    pieces.push(
      out.slice(at, start),
      type === "Code" ? CODE.repeat(end - start) : markdown.slice(start, end),
    );
    at = end;
  }
  pieces.push(out.slice(at));
  return pieces.join("").replaceAll(PATHS, (path) => CODE.repeat(path.length));
}

/**
 * @param {string} markdown
 * @returns {Node}
 */
export const parsePage = (markdown) => parse(markdown);

/**
 * The text and inline code in a node, in order.
 * @param {Node} node
 * @returns {Generator<Node>}
 */
export function* textNodes(node) {
  if (node.type === "Str" || node.type === "Code") {
    yield node;
  }
  for (const child of node.children ?? []) {
    yield* textNodes(child);
  }
}
