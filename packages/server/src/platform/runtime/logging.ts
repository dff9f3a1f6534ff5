import { LogController } from 'fastify'
import { pino } from 'pino'
import type { Config } from './config.ts'

/** Maximum unwritten bytes kept while the log cannot be written; further lines are dropped. */
const maxWaitingBytes = 1_000_000

/**
 * Returns the destination of log lines: `file`, or standard output. A full disk may lose lines but never stops the
 * process; lines kept are written once there is space.
 */
export function logDestination(file?: string) {
  const destination = pino.destination({ dest: file ?? 1, sync: true, maxLength: maxWaitingBytes })
  destination.on('error', () => {})
  return destination
}

/** Fields of PostgreSQL's errors that can quote stored values or parameters. */
const quotingFields: ReadonlySet<string> = new Set(['detail', 'hint', 'where', 'internalQuery', 'query', 'parameters'])

type Serialized = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Serialized => typeof value === 'object' && value !== null

const hideQuoted = (text: unknown) => (typeof text === 'string' ? text.replaceAll(/"[^"\n]*"/g, '"…"') : text)

function removeValues(serialized: Serialized): Serialized {
  const kept = Object.fromEntries(Object.entries(serialized).filter(([name]) => !quotingFields.has(name)))
  const { cause, aggregateErrors, code, message, stack } = kept
  const quotesInput = typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code)
  return {
    ...kept,
    ...(quotesInput ? { message: hideQuoted(message), stack: hideQuoted(stack) } : {}),
    ...(isObject(cause) ? { cause: removeValues(cause) } : {}),
    ...(Array.isArray(aggregateErrors) ? { aggregateErrors: aggregateErrors.filter(isObject).map(removeValues) } : {}),
  }
}

/**
 * Serializers of log lines. Errors lose the values of the database: PostgreSQL quotes rows in fields of their own, and
 * invalid input in the message of errors of class 22.
 */
export const logSerializers = {
  err(error: Error): { [key: string]: unknown; type: string; message: string; stack: string } {
    const serialized = pino.stdSerializers.errWithCause(error)
    const kept = removeValues({ ...serialized })
    return { ...kept, type: serialized.type, message: String(kept.message), stack: String(kept.stack) }
  },
}

/** Code of a certificate in an address: whoever has it can read the balances. */
const certificateCode = /(?<=\/certificates?\/)[^/]+/

/** Path of a request for the log: without its query, which may contain text typed by a person, and without codes. */
export const loggablePath = (url: string): string => (url.split('?')[0] ?? '').replace(certificateCode, '…')

/** Returns logging options for standard output or `file`; requests are logged only at `debug`. */
export function loggingOptions(level: Config['logLevel'], file?: string) {
  return {
    logger: {
      level,
      redact: ['req.headers.authorization', 'req.headers.cookie', 'res.headers["set-cookie"]'],
      serializers: {
        ...logSerializers,
        req: (request: { method: string; url: string; id: string }) => ({
          method: request.method,
          path: loggablePath(request.url),
        }),
      },
      stream: logDestination(file),
    },
    logController: new LogController({ disableRequestLogging: level !== 'debug' }),
  }
}
