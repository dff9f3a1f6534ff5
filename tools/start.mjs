import { runFile } from './bootstrap.mjs'

await runFile('tools/product/start.ts', {
  // The supervisor allocates little, so a small young generation suffices.
  flags: ['--max-semi-space-size=1'],
  compile: ['tools/product/compile.ts', 'supervisor'],
})
