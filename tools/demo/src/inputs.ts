/** Paths of the input files. */
import { fileURLToPath } from "node:url";

const fixtures = new URL("../../../fixtures/", import.meta.url);

/**
 * Wildlife strikes reported to the U.S. Federal Aviation Administration. For source and license, see the
 * README in the folder.
 */
export const TABLE = fileURLToPath(new URL("datasets/birdstrikes.csv", fixtures));

/** A sorted column with both indexes, written by Kudu. */
export const KUDU_FILE = fileURLToPath(new URL("golden/idx_string_prefix_opt.cfile", fixtures));
