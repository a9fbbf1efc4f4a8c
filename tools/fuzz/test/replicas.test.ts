import { expect, test } from "vitest";
import { modelReplicas } from "../src/replicas/model-replicas.js";

test("rows read from the disks of replicas that crashed are those of the answered writes, or what is missing is reported", async () => {
  const { faults, histories, stops, outcomes } = await modelReplicas(31, 0, 24);
  expect(faults).toEqual([]);
  expect(histories).toBe(24);
  expect(stops).toBeGreaterThan(0);
  expect(outcomes["all answered writes"]).toBeGreaterThan(0);
  expect(outcomes["some missing, as reported"]).toBeGreaterThan(0);
  expect(outcomes["recovered in part"]).toBeGreaterThan(0);
});
