/**
 * Footers of encrypted files (https://github.com/apache/parquet-format/blob/master/Encryption.md#5-file-format).
 *
 * | file ends in | before it |
 * | --- | --- |
 * | `PARE` | thrift: 1 the algorithm, 2 metadata of the footer key; then the file's metadata as a module |
 * | `PAR1` | the file's metadata, whose field 8 is the algorithm and 9 metadata of the footer key; then a signature: nonce and tag |
 */
import { CFileError } from "@cfile/bytes";
import { thriftFields } from "../schema/thrift-fields.js";
import { FileCipher, type ParquetKeys } from "./file-cipher.js";
import { SIGNATURE_BYTES } from "./module-cipher.js";

export { openChunks } from "./file-cipher.js";

/**
 * Decrypts a footer.
 * @throws {CFileError} `E_UNSUPPORTED` without its key; `E_CHECKSUM` for a wrong key
 */
export async function decryptFooter(footer: Uint8Array, keys: ParquetKeys) {
  const { fields, end } = thriftFields(footer, "file crypto metadata");
  const file = new FileCipher(Object(fields["field_1"]), fields["field_2"], keys);
  const cipher = await file.footer();
  if (cipher === undefined) {
    const reason = "the footer is encrypted: pass its key as footerKey";
    throw new CFileError("E_UNSUPPORTED", reason, { field: "footer key" });
  }
  return { file, bytes: await cipher.decrypt(footer.subarray(end), "footer") };
}

/**
 * The keys of a file with a plain footer; checks the footer's signature if its key is given.
 * @throws {CFileError} `E_CHECKSUM` for a wrong signature
 */
export async function plainFooter(footer: Uint8Array, keys: ParquetKeys): Promise<FileCipher> {
  const { fields, end } = thriftFields(footer, "file metadata");
  const file = new FileCipher(Object(fields["field_8"]), fields["field_9"], keys);
  const cipher = await file.footer();
  const signature = footer.subarray(end);
  const isSigned =
    cipher === undefined ||
    (signature.length === SIGNATURE_BYTES && (await cipher.hasSigned(footer.subarray(0, end), signature)));
  if (!isSigned) {
    const reason =
      "the footer's signature is wrong: the footer is changed, or the key or AAD prefix is wrong";
    throw new CFileError("E_CHECKSUM", reason, { field: "footer signature" });
  }
  return file;
}
