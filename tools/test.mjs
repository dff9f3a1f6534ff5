import { runFile } from './bootstrap.mjs'

await runFile('tools/test.ts')
