/** Metadata pairs of header and footer, in file order. Keys are text, values are bytes. */
export interface MetadataPair {
  readonly key: string;
  readonly value: Uint8Array;
}

/** The value of the first pair with this key. */
export function findMetadata(pairs: readonly MetadataPair[], key: string): Uint8Array | undefined {
  return pairs.find((pair) => pair.key === key)?.value;
}
