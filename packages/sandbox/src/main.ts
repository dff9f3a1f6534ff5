import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startSandbox } from './sandbox.ts'
import { readSettings, SettingsError } from './control/settings.ts'

async function main(): Promise<void> {
  const settings = readSettings(process.env)
  const sandbox = await startSandbox({ ...settings, log: true })
  console.log(`Tern Sandbox is ready at ${sandbox.url}`)

  let isStopping = false
  const stop = (): void => {
    // Ctrl-C can arrive twice: from the terminal and from the supervisor.
    if (isStopping) return
    isStopping = true
    sandbox.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  await sandbox.prepare()
}

function explain(error: unknown): string {
  if (error instanceof SettingsError) return error.message
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return 'SANDBOX_PORT names a port that is already taken.'
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

// tools/product/compile.ts imports this module without starting the sandbox.
if (realpathSync(process.argv[1] ?? '') === realpathSync(fileURLToPath(import.meta.url))) {
  main().catch((error: unknown) => {
    console.error(explain(error))
    process.exitCode = 1
  })
}
