declare module "textlint-rule-sentence-length" {
  const rule: import("@textlint/kernel").TextlintKernelRule["rule"];

  export { rule as default };
}

declare module "textlint-rule-terminology" {
  const rule: import("@textlint/kernel").TextlintKernelRule["rule"];

  export { rule as default };

  type Term = string | readonly [pattern: string, replacement: string | readonly string[]];

  export function getTerms(
    defaultTerms: boolean,
    terms: readonly Term[],
    exclude: readonly string[],
  ): readonly Term[];
}
