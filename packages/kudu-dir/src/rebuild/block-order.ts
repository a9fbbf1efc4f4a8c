/** Blocks in the order in which the server made them. Each block has one owner at most. */
import type { SurveyedBlock } from "./survey-blocks.js";

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

  /** @param owner whose own blocks also count as free */
  isFree(block: SurveyedBlock, owner?: bigint): boolean {
    const actual = this.owners.get(block);
    return actual === undefined || actual === owner;
  }

  free(kind: SurveyedBlock["kind"]): readonly SurveyedBlock[] {
    return this.blocks.filter((block) => block.kind === kind && this.isFree(block));
  }
}
