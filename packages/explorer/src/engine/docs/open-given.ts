/** Opens what the page was given. */
import type { Given } from "../../protocol.js";
import type { Doc, Work } from "./doc.js";
import { sourceOf } from "./given-tree.js";
import { openBytes } from "./open-file.js";

export async function openGiven(given: Given, work: Work): Promise<Doc> {
  const [file, other] = given.kind === "files" ? given.files : [];
  if (file !== undefined && other === undefined && !file.path.includes("/")) {
    return openBytes(sourceOf(file, file.path), file.path, work);
  }
  const { openFolder } = await import("./folder-doc.js");
  return openFolder(given, work);
}
