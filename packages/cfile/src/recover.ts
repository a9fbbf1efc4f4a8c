/** @module cfile/recover: files made anew: rewritten with other options, recovered from damage, and compared by their content. */
export { canonicalBytes } from "./rewrite/canonical.js";
export { type RecoveredFile, type RecoverOptions, recoverCFile } from "./rewrite/recover.js";
export { type RewriteOptions, rewriteCFile, writerOptionsOf } from "./rewrite/rewrite.js";
