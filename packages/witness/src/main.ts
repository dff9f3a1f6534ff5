// Command line of the witness.

import { parseArgs } from 'node:util'
import { formatVerifierKey, toVerifierKey } from '@tern/transparency/note-keys'
import { createFolder, lockFolder, readKey, readLogs } from './folder.ts'
import { createWitnessServer, openWitness } from './server.ts'
import { readState } from './state-file.ts'

const usage = `Usage:
  witness.mjs create FOLDER --name NAME          makes a key, and prints its public part
  witness.mjs show FOLDER                        prints the public key and the latest checkpoints
  witness.mjs serve FOLDER [--host H] [--port P] cosigns checkpoints (127.0.0.1, port 8790)
`

const print = (line: string) => process.stdout.write(`${line}\n`)

function create(folder: string, name: string | undefined): void {
  if (name === undefined) throw new Error('Give the witness a name, such as --name witness.example.org.')
  print(formatVerifierKey(toVerifierKey(createFolder(folder, { name }))))
}

function show(folder: string): void {
  const key = readKey(folder)
  print(formatVerifierKey(toVerifierKey(key)))
  const state = readState(folder, key)
  const origins = new Set([...readLogs(folder).map(({ name }) => name), ...state.keys()])
  for (const origin of origins) print(`${origin}: ${state.get(origin)?.size ?? 'nothing cosigned'}`)
}

function serve(folder: string, { host, port }: { readonly host: string; readonly port: string }): void {
  const lock = lockFolder(folder)
  const key = readKey(folder)
  const server = createWitnessServer(openWitness({ folder, key, logs: readLogs(folder) }))
  server.on('error', (error) => {
    // The file on disk is what counts after a failure, and only a new start reads it.
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
  server.listen(Number(port), host, () => {
    const address = server.address()
    if (address === null || typeof address === 'string') return
    print(`${key.name} listens on http://${host.includes(':') ? `[${host}]` : host}:${address.port}`)
  })
  const stop = () => {
    server.close(() => lock.close())
    server.closeIdleConnections()
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)
}

function run(): void {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '8790' },
    },
  })
  const [command, folder] = positionals
  if (folder === undefined || positionals.length > 2) throw new Error(usage.trimEnd())
  if (command === 'create') create(folder, values.name)
  else if (command === 'show') show(folder)
  else if (command === 'serve') serve(folder, values)
  else throw new Error(usage.trimEnd())
}

try {
  run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
