// Runs a page's script with none of Node's own globals.
for (const name of ["process", "Buffer", "global", "setImmediate", "clearImmediate"]) {
  delete globalThis[name];
}
await import("./page.bundle.mjs");
