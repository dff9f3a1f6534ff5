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

/** Returns logging options for standard output or `file`; requests are logged only at `debug`. */
export function loggingOptions(level: Config['logLevel'], file?: string) {
  return {
    logger: {
      level,
      redact: ['req.headers.authorization', 'req.headers.cookie', 'res.headers["set-cookie"]'],
      serializers: {
        req: (request: { method: string; url: string; id: string }) => ({
          method: request.method,
          // Omits the query, which may contain text typed by a person.
          path: request.url.split('?')[0],
        }),
      },
      stream: logDestination(file),
    },
    logController: new LogController({ disableRequestLogging: level !== 'debug' }),
  }
}
