/**
 * A root directory on a web server or in S3. Its folders cannot be listed, so tables cannot be found; snapshots can be read, since
 * their manifests name every file.
 */
import { CFileError } from "@cfile/bytes";
import type { ByteSource, FileTree } from "@cfile/io";

/** Whether the text is the URL of a web server or of S3. */
export function isRemote(location: string): boolean {
  return /^(?:https?|s3):\/\//i.test(location);
}

/**
 * The tree below a URL.
 * @param open opens the file at a URL
 */
export function treeOfUrl(url: string, open: (url: string) => Promise<ByteSource>): FileTree {
  const base = url.replace(/\/+$/, "");
  // Keys of S3 are taken verbatim.
  const encoded = (path: string): string =>
    /^s3:/i.test(base) ? path : path.split("/").map(encodeURIComponent).join("/");
  return {
    name: base,
    list: (folder) => {
      const reason = "folders of URLs cannot be listed: open a snapshot, or copy the directory";
      return Promise.reject(new CFileError("E_UNSUPPORTED", reason, { path: `${base}/${folder}` }));
    },
    openSource: (path) => open(`${base}/${encoded(path)}`),
  };
}
