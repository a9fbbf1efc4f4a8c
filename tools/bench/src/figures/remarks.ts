/** What holds a figure where it is, by case: what a table cannot say. */
export const remarks: Readonly<Record<string, string | undefined>> = {
  "scan-columns": `Batches are looked at before the next is asked for (\`reuseMemory\`), as in Kudu's own reader; "each batch in new memory"
is the default. On this virtual machine the first touch of new memory costs about 0.5 ms a MiB.`,
  scaling: `![Cost of a scan, a look-up by row and one by value, from 10,000 to 100 million rows, both axes logarithmic](scaling.svg)

Scans cost in proportion to rows. A look-up gains about as much with every tenfold, which is the logarithm, and the misses of the
processor's caches. The plot: \`node tools/bench/dist/plot.js tools/bench/results/scaling.json docs/scaling.svg\`.`,
};
