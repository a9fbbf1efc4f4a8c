/** Checks a CFile part by part, so that the map can show it, then as a whole. */
import { findingOf } from "@cfile/bytes";
import type { BlockReader, CFileReader } from "@cfile/format";
import { annotateIndexBlock } from "@cfile/format/blocks";
import { scanDamagedCFile } from "@cfile/format/recover";
import type { CheckView, HealthView, PartView } from "../../protocol.js";
import type { Work } from "../docs/doc.js";
import { partHealth, positionText } from "../error-view.js";
import { recoveryView } from "./recover.js";

/** Results are sent after this many parts or milliseconds. */
const PARTS_PER_MESSAGE = 16;
const MESSAGE_MILLISECONDS = 50;

export async function checkCFile(
  file: CFileReader,
  blocks: BlockReader,
  parts: readonly PartView[],
  { signal, progress }: Work<HealthView>,
): Promise<CheckView> {
  let unsent: ReturnType<typeof partHealth>[] = [];
  let lastSent = performance.now();
  let isDamaged = false;
  for (const [i, part] of parts.entries()) {
    signal.throwIfAborted();
    const problem = part.problem ?? (await problemOf(file, blocks, part, signal));
    isDamaged ||= problem !== undefined;
    unsent.push(partHealth(part.index, problem));
    const isDue = unsent.length >= PARTS_PER_MESSAGE || performance.now() - lastSent > MESSAGE_MILLISECONDS;
    if (isDue || i === parts.length - 1) {
      progress({ checked: i + 1, total: parts.length, parts: unsent });
      unsent = [];
      lastSent = performance.now();
    }
  }
  const report = await file.verify({ signal });
  const ok = report.ok && !isDamaged;
  const scan = file.kind === "column" && !ok ? await scanDamagedCFile(file.source, { signal }) : undefined;
  return {
    ok,
    checksums: report.checksums,
    problems: report.problems.map((problem) => ({ ...problem, position: positionText(problem) })),
    recovery: scan && recoveryView(scan.ledger),
  };
}

async function problemOf(
  file: CFileReader,
  blocks: BlockReader,
  part: PartView,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    switch (part.kind) {
      case "data":
        (await file.dataBlock(part, { signal })).check();
        return undefined;
      case "posidx":
      case "validx": {
        const content = await blocks.read(part, { signal });
        const notes = annotateIndexBlock(content, "posidx", { maxNotes: 0 });
        return notes.find(({ role }) => role === "problem")?.text;
      }
      case "header":
      case "footer":
      case "unknown":
        return undefined;
      case "lost":
        return "cannot read its bytes as a block";
    }
    await blocks.read(part, { signal });
    return undefined;
  } catch (error) {
    const { code, reason } = findingOf(error);
    return `${code}: ${reason}`;
  }
}
