/** The row set that a command is about. */
export const ROW_SET = /* @__PURE__ */ Object.freeze({
  type: "string",
  demandOption: true,
  describe: "the folder of a row set",
} as const);

/** The same where nothing is changed. */
export const READ_ROW_SET = /* @__PURE__ */ Object.freeze({
  ...ROW_SET,
  describe: "the folder of a row set, or a .json file that names the files of row sets by their roles",
} as const);
