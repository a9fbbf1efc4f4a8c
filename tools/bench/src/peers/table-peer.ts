/** Another database with the table of `row-set-data.ts`. */
export interface TablePeer {
  readonly name: string;
  /** The whole table, once more; resolves to its rows. */
  create(): Promise<number> | number;
  /** Sum of `n` and `d`. */
  scan(): Promise<number> | number;
  /** How many of the keys are there. */
  lookUp(keys: readonly bigint[]): Promise<number> | number;
  /** Sum of `n` and `d` of rows with keys from `from` to before `to`. */
  range(from: bigint, to: bigint): Promise<number> | number;
  close(): Promise<void> | void;
}
