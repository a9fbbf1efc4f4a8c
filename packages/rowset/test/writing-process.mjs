// A process that writes to a row set to which others also write: `node writing-process.mjs FOLDER NUMBER WRITES`.
import { setTimeout } from "node:timers/promises";
import { openTableStore } from "../dist/store.js";

const [folder, number, writes] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
let refused = 0;

/** Increments the counter, inserts its own row, and sometimes compacts. */
async function write(rowSet, i) {
  const { cells } = await rowSet.get([0]);
  const rows = [
    { k: 0, n: cells[1] + 1 },
    { k: 1000 * number + i, n: i },
  ];
  await rowSet.upsert(rows, rowSet.lastTimestamp + 1n);
  if (i % 4 === 3) {
    await rowSet.compact().catch(passOver);
  }
}

function passOver(error) {
  if (error.code !== "E_SOURCE_CHANGED") {
    throw error;
  }
}

for (let i = 0; i < writes; ) {
  try {
    const rowSet = await openTableStore(folder);
    try {
      await write(rowSet, i);
    } finally {
      await rowSet.close();
    }
    i++;
    console.log("written");
  } catch (error) {
    passOver(error);
    refused++;
    await setTimeout(Math.random() * 10);
  }
}
console.log(`refused ${refused}`);
