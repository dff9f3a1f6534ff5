import { runFile } from './bootstrap.mjs'

await runFile('tools/product/start.ts')
