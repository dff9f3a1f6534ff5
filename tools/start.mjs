import { runFile } from './bootstrap.mjs'

await runFile('tools/product/start.ts', {
  // The supervisor mostly waits for its processes and needs no large young generation.
  flags: ['--max-semi-space-size=1'],
  compile: ['tools/product/compile.ts', 'supervisor'],
})
