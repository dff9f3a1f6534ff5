import { LogController } from 'fastify'
import type { Config } from './config.ts'

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
      ...(file === undefined ? {} : { file }),
    },
    logController: new LogController({ disableRequestLogging: level !== 'debug' }),
  }
}
