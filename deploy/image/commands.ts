// Loads the modules of every `tern` command.

import { commands } from '../../packages/server/src/commands/runner/table.ts'

await import('../../packages/server/src/commands/runner/tern.ts')
for (const { load } of commands) await load()
process.exit()
