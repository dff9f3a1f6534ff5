import { runFile } from './bootstrap.mjs'

runFile('tools/start.ts')
