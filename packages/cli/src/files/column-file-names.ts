/** Names of the files of columns. */

// Reserved by Windows, whatever the extension.
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
/** Code points; at most 240 bytes in UTF-8. */
const MAX_LENGTH = 60;

/**
 * One `NAME.cfile` per column, in order. Letters, digits, `_`, `-` and inner `.` stay; everything else becomes `_`;
 * names that differ only in case get `-2`, `-3` and so on.
 */
export function columnFileNames(columns: readonly string[]): string[] {
  const taken = new Set<string>();
  return columns.map((column) => {
    const base = sanitized(column);
    let name = base;
    for (let number = 2; taken.has(name.toLowerCase()); number++) {
      name = `${base}-${number}`;
    }
    taken.add(name.toLowerCase());
    return `${name}.cfile`;
  });
}

function sanitized(column: string): string {
  const safe = [...column.normalize("NFC").replace(/[^\p{L}\p{N}_.-]+/gu, "_")].slice(0, MAX_LENGTH).join("");
  const name = safe.replace(/^[.-]+/, "_").replace(/[._]+$/, "");
  return name === "" || RESERVED.test(name) ? `${name}_column` : name;
}
