import { runFile } from './bootstrap.mjs'

await runFile('tools/product/web-build.ts')
