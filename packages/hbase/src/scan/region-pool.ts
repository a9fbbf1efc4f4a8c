/** Regions with open files. The last few stay open for gets. */
import { closeRegion, type OpenRegion } from "./open-region.js";

/** Maximum number of regions that stay open while nobody reads them. */
const MAX_IDLE = 16;

interface Slot {
  readonly opening: Promise<OpenRegion>;
  users: number;
}

export class RegionPool {
  private readonly open: (region: string) => Promise<OpenRegion>;
  /** Most recently used last. */
  private readonly slots = new Map<string, Slot>();

  /** @param open opens the files of the region with this encoded name */
  constructor(open: (region: string) => Promise<OpenRegion>) {
    this.open = open;
  }

  /** An open region, which the caller must {@link release}. */
  async acquire(name: string): Promise<OpenRegion> {
    const slot = this.slots.get(name) ?? { opening: this.open(name), users: 0 };
    this.slots.delete(name);
    this.slots.set(name, slot);
    slot.users++;
    try {
      return await slot.opening;
    } catch (error) {
      slot.users--;
      if (this.slots.get(name) === slot) {
        this.slots.delete(name);
      }
      throw error;
    }
  }

  async release(name: string): Promise<void> {
    const slot = this.slots.get(name);
    if (slot !== undefined) {
      slot.users--;
    }
    if (this.slots.size > MAX_IDLE) {
      await this.closeIdle();
    }
  }

  async close(): Promise<void> {
    const slots = [...this.slots.values()];
    this.slots.clear();
    await Promise.all(slots.map(closeSlot));
  }

  private async closeIdle(): Promise<void> {
    for (const [name, slot] of this.slots) {
      if (this.slots.size <= MAX_IDLE) {
        return;
      }
      if (slot.users === 0) {
        this.slots.delete(name);
        await closeSlot(slot);
      }
    }
  }
}

async function closeSlot({ opening }: Slot): Promise<void> {
  const region = await opening.catch(() => undefined);
  if (region !== undefined) {
    await closeRegion(region);
  }
}
