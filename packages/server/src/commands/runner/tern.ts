// npx tern COMMAND: the operators' commands.

import { countTypingErrors } from '../../features/compliance/screening/names/typing-errors.ts'
import { OperatorError, Refusal } from '../../platform/refuse.ts'
import { readSecretFiles } from '../../platform/runtime/secret-files.ts'
import { ConfigError } from '../../platform/runtime/settings.ts'
import { isMain } from '../../platform/runtime/is-main.ts'
import { alignedColumns, type Terminal, UsageError } from '../terminal.ts'
import { type Command, commands } from './table.ts'

/** Exit codes; 64 and 78 as in sysexits.h. Other codes are the command's own, described in its usage. */
const failureCode = 2
const unknownCommand = 64
const unusableSettings = 78
const maxTypingErrors = 2
const longestExitMs = 5000

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h'

/** Runs the command named by the first word with the remaining words; returns the exit code. */
export async function runTern(terminal: Terminal, words: readonly string[]): Promise<number> {
  const [first, ...parameters] = words
  const isHelpRequested = first === undefined || first === 'help' || isHelp(first)
  const name = isHelpRequested ? parameters[0] : first
  if (name === undefined) {
    terminal.print(listCommands())
    return 0
  }
  const command = commands.find((candidate) => candidate.name === name)
  if (!command) {
    terminal.warn(unknownText(name))
    return unknownCommand
  }
  if (isHelpRequested || parameters.some(isHelp)) {
    terminal.print(`${command.name}: ${command.summary}\n\n${command.usage}`)
    return 0
  }
  return runCommand(terminal, command, parameters)
}

async function runCommand(terminal: Terminal, command: Command, parameters: readonly string[]): Promise<number> {
  try {
    const { run } = await command.load()
    return await run({ ...terminal, environment: readSecretFiles(terminal.environment) }, parameters)
  } catch (error) {
    if (error instanceof UsageError) terminal.warn(command.usage)
    else if (error instanceof ConfigError || error instanceof OperatorError || error instanceof Refusal)
      terminal.warn(error.message)
    else terminal.warn(`The command failed: ${String(error)}`)
    return error instanceof ConfigError ? unusableSettings : failureCode
  }
}

function listCommands(): string {
  const rows = commands.map(({ name, summary }) => [`  npx tern ${name}`, summary])
  return ['Commands for operators; npx tern help COMMAND explains one:', '', ...alignedColumns(rows, 2)].join('\n')
}

function unknownText(name: string): string {
  const similarCommand = commands.find(
    (candidate) => countTypingErrors(candidate.name, name, maxTypingErrors) <= maxTypingErrors,
  )
  const suggestion = similarCommand ? `Did you mean npx tern ${similarCommand.name}?` : 'npx tern lists all.'
  return `There is no command "${name}". ${suggestion}`
}

if (isMain(import.meta)) {
  const terminal = { environment: process.env, print: console.log, warn: console.error }
  process.exitCode = await runTern(terminal, process.argv.slice(2))
  // A connection that hangs does not keep the process.
  setTimeout(() => process.exit(), longestExitMs).unref()
}
