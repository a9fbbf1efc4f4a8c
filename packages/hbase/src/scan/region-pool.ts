/** Regions with open files. The last few stay open for gets. */
import type { OpenRegion } from "./open-region.js";

/** Maximum number of regions that stay open while they are not in use. */
const MAX_IDLE = 16;

interface Slot {
  readonly region: OpenRegion;
  users: number;
}

export class RegionPool {
  private readonly open: (region: string) => OpenRegion;
  /** Most recently used last. */
  private readonly slots = new Map<string, Slot>();

  /** @param open opens the region with this encoded name */
  constructor(open: (region: string) => OpenRegion) {
    this.open = open;
  }

  /** A region, which the caller must {@link release}. */
  acquire(name: string): OpenRegion {
    const slot = this.slots.get(name) ?? { region: this.open(name), users: 0 };
    this.slots.delete(name);
    this.slots.set(name, slot);
    slot.users++;
    return slot.region;
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
    await Promise.all(slots.map(({ region }) => region.close()));
  }

  private async closeIdle(): Promise<void> {
    for (const [name, { region, users }] of this.slots) {
      if (this.slots.size <= MAX_IDLE) {
        return;
      }
      if (users === 0) {
        this.slots.delete(name);
        await region.close();
      }
    }
  }
}
