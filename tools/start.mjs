import { runFile } from './bootstrap.mjs'

await runFile('tools/product/start.ts', {
  // Waiting for its processes, the supervisor needs no large young generation.
  flags: ['--max-semi-space-size=1'],
  compile: ['tools/product/compile.ts', 'supervisor'],
})
