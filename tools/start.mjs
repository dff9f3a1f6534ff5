import { runFile } from './bootstrap.mjs'

// The supervisor lives as long as the product and does little: a small young generation keeps its memory small.
runFile('tools/product/start.ts', process.argv.slice(2), ['--max-semi-space-size=1'])
