import { parseArgs, type ParseArgsConfig } from 'node:util'
import type { Environment } from '../platform/runtime/settings.ts'

export interface Terminal {
  readonly environment: Environment
  /** Prints to standard output. */
  readonly print: (text: string) => void
  /** Prints to standard error. */
  readonly warn: (text: string) => void
}

/**
 * Runs a command with its parameters; returns the exit code. Throws UsageError for wrong parameters, ConfigError for
 * unusable settings, and OperatorError or Refusal when the command cannot be carried out.
 */
export type RunCommand = (terminal: Terminal, parameters: readonly string[]) => Promise<number>

/** Wrong parameters; the command's usage is printed. */
export class UsageError extends Error {}

/** Parses parameters like Node's `parseArgs`. Throws UsageError. */
export function parse<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config)
  } catch {
    throw new UsageError()
  }
}

/** Formats rows as aligned columns; the first `texts` columns are left-aligned. */
export function alignedColumns(rows: readonly (readonly string[])[], texts = 0): string[] {
  const widths = rows[0]?.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0))) ?? []
  const padCell = (cell: string, index: number) =>
    index < texts ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)
  return rows.map((row) => row.map(padCell).join('  ').trimEnd())
}
