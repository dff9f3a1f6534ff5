// First process of a container: `app`, `worker`, `sandbox`, the words of a `tern` command, or `every SECONDS COMMAND …`,
// which runs a command again and again.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const packages = path.resolve(import.meta.dirname, '../../packages')
const programs: Readonly<Record<string, readonly string[]>> = {
  app: ['server/src/main.ts', 'app'],
  worker: ['server/src/main.ts', 'worker'],
  sandbox: ['sandbox/src/main.ts'],
}
const commandProgram = 'server/src/commands/runner/tern.ts'

/** Becomes the program: it starts only if it is the file that Node was started with. */
async function become([program = '', ...parameters]: readonly string[]): Promise<void> {
  const file = path.join(packages, program)
  process.argv = [process.execPath, file, ...parameters]
  await import(file)
}

/** Runs a `tern` command, waits, and runs it again; reports how each run ended. */
async function repeat(seconds: number, words: readonly string[]): Promise<never> {
  for (;;) {
    const child = spawn(process.execPath, [path.join(packages, commandProgram), ...words], { stdio: 'inherit' })
    const [code] = (await once(child, 'exit')) as [number | null]
    process.stdout.write(`tern ${words.join(' ')} ended with ${code}; the next run is in ${seconds} s\n`)
    await delay(seconds * 1000)
  }
}

const [first = 'app', ...words] = process.argv.slice(2)
const program = programs[first]
// The first process of a container ignores a signal that it does not handle; app, worker and sandbox do.
if (program === undefined) process.once('SIGTERM', () => process.exit(143))
if (program !== undefined) await become([...program, ...words])
else if (first !== 'every') await become([commandProgram, first, ...words])
else {
  const [seconds = '', ...command] = words
  if (!/^[1-9]\d{0,5}$/.test(seconds) || command.length === 0) {
    process.stderr.write('every needs a number of seconds and a command, such as: every 3600 lists fetch\n')
    process.exit(64)
  }
  await repeat(Number(seconds), command)
}
