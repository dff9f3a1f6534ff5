import { LogController } from 'fastify'
import { pino } from 'pino'
import type { Config } from './config.ts'

/** Lines kept while they cannot be written; further ones are dropped. */
const mostWaitingBytes = 1_000_000

/**
 * Where log lines go: standard output unless `file` is given. A full disk costs log lines, never the process; waiting
 * lines are written once there is space again.
 */
export function logDestination(file?: string) {
  const destination = pino.destination({ dest: file ?? 1, sync: true, maxLength: mostWaitingBytes })
  destination.on('error', () => {})
  return destination
}

/** Logs to standard output or `file`; every request only at `debug`. */
export function loggingOf(level: Config['logLevel'], file?: string) {
  return {
    logger: {
      level,
      redact: ['req.headers.authorization', 'req.headers.cookie', 'res.headers["set-cookie"]'],
      serializers: {
        req: (request: { method: string; url: string; id: string }) => ({
          method: request.method,
          // Only the path: the query may contain what a person typed.
          path: request.url.split('?')[0],
        }),
      },
      stream: logDestination(file),
    },
    logController: new LogController({ disableRequestLogging: level !== 'debug' }),
  }
}
