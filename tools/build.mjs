import { runFile } from './bootstrap.mjs'

runFile('tools/web-build.ts')
