/** Java properties text, the format of `hoodie.properties` (docs/spec/hudi-table.md#1-folders). */
import { corrupt } from "@cfile/bytes";

const ESCAPES: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", f: "\f" };

/**
 * The entries of a properties file, which is ISO-8859-1 text with escapes. The last entry of a key applies.
 * @throws {CFileError} `E_CORRUPT` for a malformed `\uXXXX`
 */
export function parseJavaProperties(bytes: Uint8Array): Map<string, string> {
  const text = new TextDecoder("latin1").decode(bytes);
  const properties = new Map<string, string>();
  for (const line of logicalLines(text)) {
    const end = keyEnd(line);
    const value = line.slice(end).replace(/^[ \t\f]*[=:]?[ \t\f]*/, "");
    properties.set(unescapeText(line.slice(0, end)), unescapeText(value));
  }
  return properties;
}

/** Lines without comments; a line that ends with an odd number of backslashes continues on the next. */
function* logicalLines(text: string): Generator<string> {
  let waiting = "";
  for (const natural of text.split(/\r\n|\n|\r/)) {
    const line = natural.replace(/^[ \t\f]+/, "");
    if (waiting === "" && (line === "" || line.startsWith("#") || line.startsWith("!"))) {
      continue;
    }
    let slashes = 0;
    while (line.charAt(line.length - 1 - slashes) === "\\") {
      slashes++;
    }
    if (slashes % 2 === 1) {
      waiting += line.slice(0, -1);
      continue;
    }
    yield waiting + line;
    waiting = "";
  }
  if (waiting !== "") {
    yield waiting;
  }
}

function keyEnd(line: string): number {
  for (let i = 0; i < line.length; i++) {
    const character = line.charAt(i);
    if (character === "\\") {
      i++;
    } else if ("=: \t\f".includes(character)) {
      return i;
    }
  }
  return line.length;
}

function unescapeText(text: string): string {
  return text.replace(/\\(u[\s\S]{0,4}|[\s\S])/g, (_, escaped: string) => {
    if (escaped.startsWith("u")) {
      if (!/^u[0-9a-f]{4}$/i.test(escaped)) {
        throw corrupt("malformed \\uXXXX in a properties file", { field: "properties" });
      }
      return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    }
    return ESCAPES[escaped] ?? escaped;
  });
}
