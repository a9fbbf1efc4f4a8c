/** Stands for `node-http.ts` in bundles for browsers (`browser` in `package.json`). */
export const nodeHttpFor = (_url: string): undefined => undefined;
