/** Rollback commands in logs: tables below version 8 roll back a delta commit with a command block. */
import { HEADER, type LogBlock } from "./log-block.js";

const ROLLBACK = "0";

/** The blocks that a later command block rolls back. */
export function deletedByRollback(blocks: readonly LogBlock[]): Set<LogBlock> {
  const dropped = new Set<LogBlock>();
  blocks.forEach((command, at) => {
    if (command.kind === "command" && command.header.get(HEADER.command) === ROLLBACK) {
      const target = command.header.get(HEADER.targetInstant);
      for (const block of blocks.slice(0, at)) {
        if (block.instant === target) {
          dropped.add(block);
        }
      }
    }
  });
  return dropped;
}
