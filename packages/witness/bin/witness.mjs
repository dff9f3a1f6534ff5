#!/usr/bin/env node
// Runs with Node alone, without the product: see ../README.md.

if (process.features.typescript) await import('../src/main.ts')
else {
  process.stderr.write(`The witness needs Node 24; this is Node ${process.versions.node}.\n`)
  process.exitCode = 1
}
