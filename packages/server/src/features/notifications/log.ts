/** Log of notifications. Must not contain addresses, subjects, links or codes. */
export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

/** Returns the parts of an error that may be logged. The message is left out, because it may quote private data. */
export function describeError(error: unknown): { error: string; code?: string; stack?: string } {
  if (!(error instanceof Error)) return { error: typeof error }
  const code = (error as NodeJS.ErrnoException).code
  const frames = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
  return { error: error.name, ...(typeof code === 'string' ? { code } : {}), stack: frames.join('\n') }
}
