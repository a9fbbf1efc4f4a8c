/** Metadata pairs of header and footer, in file order. Keys are text, values are bytes. */
export interface MetadataPair {
  readonly key: string;
  readonly value: Uint8Array;
}

/** The value of the first pair with this key; header pairs are searched before footer pairs. */
export function findMetadata(
  header: readonly MetadataPair[],
  footer: readonly MetadataPair[],
  key: string,
): Uint8Array | undefined {
  return (header.find((pair) => pair.key === key) ?? footer.find((pair) => pair.key === key))?.value;
}
