// Runs a page's script without Node's globals.
for (const name of ["process", "Buffer", "global", "setImmediate", "clearImmediate"]) {
  delete globalThis[name];
}
await import("./page.bundle.mjs");
