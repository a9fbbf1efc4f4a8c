/** Checks a CFile part by part, so that the map can show it, then as a whole. */
import { findingOf } from "@cfile/bytes";
import type { BlockReader, CFileReader } from "@cfile/format";
import { annotateIndexBlock } from "@cfile/format/blocks";
import { scanDamagedCFile } from "@cfile/format/recover";
import type { CheckView, HealthView, PartView } from "../../protocol.js";
import type { Work } from "../docs/doc.js";
import { type PartHealth, partHealth, placeText } from "../error-view.js";
import { recoveryView } from "./recover.js";

/** Parts after which the page is told. */
const PARTS_A_MESSAGE = 16;
const MESSAGE_MILLISECONDS = 50;

export async function checkCFile(
  file: CFileReader,
  blocks: BlockReader,
  parts: readonly PartView[],
  work: Work<HealthView>,
): Promise<CheckView> {
  let told: PartHealth[] = [];
  let last = performance.now();
  let isDamaged = false;
  for (const [checked, part] of parts.entries()) {
    work.signal.throwIfAborted();
    const problem = part.problem ?? (await problemOf(file, blocks, part, work.signal));
    isDamaged ||= problem !== undefined;
    told.push(partHealth(part.index, problem));
    if (told.length >= PARTS_A_MESSAGE || performance.now() - last > MESSAGE_MILLISECONDS) {
      work.progress({ checked: checked + 1, total: parts.length, parts: told });
      told = [];
      last = performance.now();
    }
  }
  work.progress({ checked: parts.length, total: parts.length, parts: told });
  const report = await file.verify({ signal: work.signal });
  const survey =
    file.kind === "column" && (isDamaged || !report.ok)
      ? await scanDamagedCFile(file.source, { signal: work.signal })
      : undefined;
  return {
    ok: report.ok && !isDamaged,
    checksums: report.checksums,
    problems: report.problems.map((problem) => ({ ...problem, place: placeText(problem) })),
    recovery: survey && recoveryView(survey.ledger),
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
      case "data": {
        const block = await file.dataBlock(part, { signal });
        block.check();
        break;
      }
      case "posidx":
      case "validx": {
        const content = await blocks.read(part, { signal });
        const notes = annotateIndexBlock(content, "posidx", { mostNotes: 0 });
        return notes.find(({ role }) => role === "problem")?.text;
      }
      case "header":
      case "footer":
      case "unknown":
        break;
      case "lost":
        return "its bytes cannot be read as a block";
      default:
        await blocks.read(part, { signal });
    }
    return undefined;
  } catch (error) {
    const { code, reason } = findingOf(error);
    return `${code}: ${reason}`;
  }
}
