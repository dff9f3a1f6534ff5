import { runFile } from './bootstrap.mjs'

runFile('tools/product/start.ts')
