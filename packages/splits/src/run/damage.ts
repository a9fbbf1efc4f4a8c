/** Which errors say that bytes are not what they should be, so that what is left of them can be saved. */
import { isCFileError } from "@cfile/bytes";

const DAMAGE: readonly string[] = ["E_CHECKSUM", "E_CORRUPT", "E_TRUNCATED", "E_LIMIT", "E_UNSUPPORTED"];

/** Of a Kudu server's blocks, those that are missing are among what is damaged. */
export function isDamage(error: unknown): boolean {
  return isCFileError(error) && (DAMAGE.includes(error.code) || isMissingBlock(error.code, error.path));
}

function isMissingBlock(code: string, path = ""): boolean {
  return code === "E_NOT_FOUND" && path.startsWith("block ");
}
