/** Another database with the table of `row-set-data.ts`. */
export interface TablePeer {
  readonly name: string;
  /** Rewrites the whole table; resolves to the number of rows. */
  create(): Promise<number> | number;
  /** Sum of `n` and `d`. */
  scan(): Promise<number> | number;
  /** Resolves to the number of existing keys. */
  lookUp(keys: readonly bigint[]): Promise<number> | number;
  /** Sum of `n` and `d` of rows with keys from `from` (inclusive) to `to` (exclusive). */
  range(from: bigint, to: bigint): Promise<number> | number;
  close(): Promise<void> | void;
}
