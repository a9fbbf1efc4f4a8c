import type { Harness, HarnessDefinition, Subject } from "./harness.js";
import { Random } from "./random.js";

/**
 * Makes the random numbers of a harness independent of those of the mutation, so that replayed bytes behave the
 * same.
 */
const OWN_DRAWS = 0x5bd1e995;

export function defineHarness<S extends Subject>(definition: HarnessDefinition<S>): Harness {
  const { name, share, load, mutate, act } = definition;
  let loaded: Promise<readonly S[]> | undefined;
  const subjects = (): Promise<readonly S[]> => {
    loaded ??= Promise.resolve(load());
    return loaded;
  };
  return {
    name,
    share,
    ready: async () => {
      const all = await subjects();
      if (all.length === 0) {
        throw new RangeError(`${name} has nothing to mutate`);
      }
      return {
        make: (seed) => {
          const random = new Random(seed);
          const subject = random.pick(all);
          const { bytes, steps } = mutate(subject, random);
          const run = (): unknown => act(bytes, subject, new Random(seed ^ OWN_DRAWS));
          return { subject: subject.name, bytes, steps, run };
        },
        replay: (seed, subject, bytes) =>
          act(
            bytes,
            all.find((each) => each.name === subject) ?? (all[0] as S),
            new Random(seed ^ OWN_DRAWS),
          ),
      };
    },
  };
}
