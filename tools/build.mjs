import { runFile } from './bootstrap.mjs'

runFile('tools/product/web-build.ts')
