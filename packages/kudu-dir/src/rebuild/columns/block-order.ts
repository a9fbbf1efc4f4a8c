/** Blocks in the order in which the server made them. Each block has at most one owner. */
import { isDelta, type SurveyedBlock, type SurveyedDelta } from "../survey-blocks.js";

/** Whether a block was made before or after another one. */
type Sequence = "before" | "after" | "unknown";

/** Blocks whose IDs are further apart may be from different runs of the server. */
const ONE_RUN = 1n << 24n;

/**
 * When a block was made, compared with one at this position. The file block manager, whose blocks have no times, begins at a random
 * ID when the server starts.
 */
export function sequenceOf({ order, createdAt }: SurveyedBlock, other: bigint): Sequence {
  const distance = order - other;
  if (createdAt === undefined && (distance > ONE_RUN || distance < -ONE_RUN)) {
    return "unknown";
  }
  return distance > 0n ? "after" : "before";
}

export class BlockOrder {
  readonly blocks: readonly SurveyedBlock[];
  private readonly byOrder: ReadonlyMap<bigint, SurveyedBlock>;
  private readonly owners = new Map<SurveyedBlock, bigint>();

  constructor(blocks: readonly SurveyedBlock[]) {
    this.blocks = blocks;
    this.byOrder = new Map(blocks.map((block) => [block.order, block]));
  }

  at(order: bigint): SurveyedBlock | undefined {
    return this.byOrder.get(order);
  }

  /** @param owner the ID of a row set's key file */
  claim(block: SurveyedBlock, owner: bigint): void {
    this.owners.set(block, owner);
  }

  release(block: SurveyedBlock): void {
    this.owners.delete(block);
  }

  /** @param owner the owner whose blocks also count as free */
  isFree(block: SurveyedBlock, owner?: bigint): boolean {
    const actual = this.owners.get(block);
    return actual === undefined || actual === owner;
  }

  free(kind: SurveyedBlock["kind"]): readonly SurveyedBlock[] {
    return this.blocks.filter((block) => block.kind === kind && this.isFree(block));
  }

  freeDeltas(): readonly SurveyedDelta[] {
    return this.blocks.filter(isDelta).filter((block) => this.isFree(block));
  }
}
