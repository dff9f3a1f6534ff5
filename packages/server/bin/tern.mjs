#!/usr/bin/env node
import { runFile } from '../../../tools/bootstrap.mjs'

await runFile('packages/server/src/commands/runner/tern.ts')
