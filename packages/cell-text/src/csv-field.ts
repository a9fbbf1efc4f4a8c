/** A field of CSV. A null is an empty field, empty text a quoted one. */
export function csvField(text: string | undefined): string {
  if (text === undefined) {
    return "";
  }
  return text === "" || /[",\r\n]/.test(text) || text.trim() !== text
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}
