/** Where the demonstration's input is. */
import { fileURLToPath } from "node:url";

const fixtures = new URL("../../../fixtures/", import.meta.url);

/** Wildlife strikes reported to the U.S. Federal Aviation Administration; source and licence in the folder's README. */
export const TABLE = fileURLToPath(new URL("datasets/birdstrikes.csv", fixtures));

/** A sorted column with both indexes, written by Kudu. */
export const KUDU_FILE = fileURLToPath(new URL("golden/idx_string_prefix_opt.cfile", fixtures));
