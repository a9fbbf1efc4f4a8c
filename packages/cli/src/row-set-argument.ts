/** The row set that a command is about. */
export const ROW_SET = /* @__PURE__ */ Object.freeze({
  type: "string",
  demandOption: true,
  describe: "the folder of a row set",
} as const);
