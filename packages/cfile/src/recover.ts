/** @module cfile/recover: rewrite files with other options, recover them from damage, compare their content. */
export { canonicalBytes } from "./rewrite/canonical.js";
export { type RecoveredFile, type RecoverOptions, recoverCFile } from "./rewrite/recover.js";
export { type RewriteOptions, rewriteCFile, writerOptionsOf } from "./rewrite/rewrite.js";
