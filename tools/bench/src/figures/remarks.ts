/** What holds a figure where it is, by case: what a table cannot say. */
export const remarks: Readonly<Record<string, string | undefined>> = {
  "scan-columns": `Batches are looked at before the next is asked for (\`reuseMemory\`), as in Kudu's own reader; "each batch in new memory"
is the default. On this virtual machine the first touch of new memory costs about 0.5 ms a MiB.

What holds the figures that are missed: a required column without nulls hyparquet gives as a typed array over its page, so that twelve
times its rate of int32 would be 5 GB/s, where unshuffling with LZ4 alone runs at 1.8 (\`kernels\`) and the checksum at 3.8. Plain
strings are checked, their offsets unpacked and both copied out once, 36 bytes a row in all; Kudu gives pointers into the block. Each
prefix entry needs the one before it: about 14 ns a value.`,
  "write-columns": `To memory, in pieces, as a disk would be given them. What holds the figures that are missed: the file itself is new memory,
0.5 ms a MiB, a quarter to a third of the time of plain columns; every stored byte is copied into a block, into the kernels'
memory for its checksum and into the file; strings are looked up in the dictionary, 12 ns each, in JavaScript.`,
  workers: `With two cores a pool of one worker already has both: one decodes, the other takes batches and reads the file (10 of 60 ms in
the first column). Two workers can then gain little more than a third; the dearer a block, the more they gain.`,
  scaling: `![Cost of a scan, a look-up by row and one by value, from 10,000 to 100 million rows, both axes logarithmic](scaling.svg)

Scans cost in proportion to rows. A look-up gains about as much with every tenfold, which is the logarithm, and the misses of the
processor's caches. The plot: \`node tools/bench/dist/plot.js tools/bench/results/scaling.json docs/scaling.svg\`.`,
};
