/**
 * A root directory in S3. Its folders cannot be listed, so tables cannot be found. Snapshots can be read, since their manifests name
 * every file.
 */
import { CFileError } from "@cfile/bytes";
import type { ByteSource, FileTree } from "@cfile/io";

/**
 * The tree below an `s3:` URL.
 * @param open opens the file at a URL
 */
export function objectTree(url: string, open: (url: string) => Promise<ByteSource>): FileTree {
  const base = url.replace(/\/+$/, "");
  return {
    name: base,
    list: (folder) => {
      const reason = "folders in S3 cannot be listed: open a snapshot, or copy the directory";
      return Promise.reject(new CFileError("E_UNSUPPORTED", reason, { path: `${base}/${folder}` }));
    },
    openSource: (path) => open(`${base}/${path}`),
  };
}
