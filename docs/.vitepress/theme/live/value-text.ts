/** Values as a live example shows them: as JavaScript, 64 bits with their `n`. */

export function valueText(value: unknown): string {
  if (typeof value === "bigint") {
    return `${value}n`;
  }
  if (value instanceof Uint8Array) {
    return `0x${Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  }
  if (Array.isArray(value)) {
    return `[${value.map(valueText).join(", ")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{ ${fields.map(([name, field]) => `${name}: ${valueText(field)}`).join(", ")} }`;
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** The values of a list, as many as a reader looks at. */
export function listText(values: readonly unknown[], most = 40): string {
  const shown = values.slice(0, most).map(valueText).join(", ");
  return values.length > most ? `[${shown}, … ${values.length} in all]` : `[${shown}]`;
}
