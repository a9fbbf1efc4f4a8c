/** Text from files, made safe for terminals and for CSV. */

// Control characters, which can move the cursor, and marks that change the direction of text.
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The text with control characters as escapes: `\n`, `\r`, `\t`, `\x1b`, `\u202e`. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => SHORT[character] ?? escaped(character.charCodeAt(0)));
}

function escaped(unit: number): string {
  const digits = unit.toString(16);
  return unit < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`;
}

/** `text`, cut to `width` characters with an ellipsis. */
export function clipped(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** A CSV field. A null is an empty field; empty text is a quoted empty field. */
export function csvField(text: string | undefined): string {
  const needsQuotes = text === "" || (text !== undefined && (/[",\r\n]/.test(text) || text.trim() !== text));
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : (text ?? "");
}
