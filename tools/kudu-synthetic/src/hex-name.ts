/** Names like those of a server: 32 hexadecimal digits. They are the same in every run. */

/** @param kind kind of named object; names of different kinds differ */
export function hexName(kind: string, number: number): string {
  let state = 0x811c9dc5;
  let name = "";
  for (let part = 0; part < 4; part++) {
    for (const char of `${kind} ${number} ${part}`) {
      state = Math.imul(state ^ char.charCodeAt(0), 0x01000193);
    }
    name += (state >>> 0).toString(16).padStart(8, "0");
  }
  return name;
}
