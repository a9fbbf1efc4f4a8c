/** Opens the files or the folder that the page was given. */
import type { Given } from "../../protocol.js";
import type { Doc, Work } from "./doc.js";
import { sourceOf } from "./given-tree.js";
import { openBytes } from "./open-file.js";

export async function openGiven(given: Given, work: Work): Promise<Doc> {
  const [file, other] = given.kind === "files" ? given.files : [];
  return file !== undefined && other === undefined && !file.path.includes("/")
    ? openBytes(sourceOf(file, file.path), file.path, work)
    : (await import("./folder-doc.js")).openFolder(given, work);
}
