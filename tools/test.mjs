import { runFile } from './bootstrap.mjs'

runFile('tools/test.ts')
