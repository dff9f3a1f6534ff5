import { LogController } from 'fastify'
import type { Config } from './config.ts'

/** How the server writes its log: to standard output, or to `file`. Every request is told of only at `debug`. */
export function loggingOf(level: Config['logLevel'], file?: string) {
  return {
    logger: {
      level,
      redact: ['req.headers.authorization', 'req.headers.cookie', 'res.headers["set-cookie"]'],
      serializers: {
        req: (request: { method: string; url: string; id: string }) => ({
          method: request.method,
          // The query may carry what a person typed, so only the path is logged.
          path: request.url.split('?')[0],
        }),
      },
      ...(file === undefined ? {} : { file }),
    },
    logController: new LogController({ disableRequestLogging: level !== 'debug' }),
  }
}
