/** Another database with the table of `row-set-data.ts`. */
export interface TablePeer {
  readonly name: string;
  /** Writes the whole table again; resolves to the number of rows. */
  create(): Promise<number> | number;
  /** Sum of `n` and `d`. */
  scan(): Promise<number> | number;
  /** Returns how many of the keys exist. */
  lookUp(keys: readonly bigint[]): Promise<number> | number;
  /** Sum of `n` and `d` of rows with keys from `from` (inclusive) to `to` (exclusive). */
  range(from: bigint, to: bigint): Promise<number> | number;
  close(): Promise<void> | void;
}
