import { events } from '@tern/contract/events'
import type { FastifyInstance } from 'fastify'
import type { UserEvents } from './events.ts'
import { serve } from './serve.ts'

const heartbeatMs = 15_000

/** `GET /events`: the caller's stream, until they close it, the session ends or the server stops. */
export function eventsRoutes(
  app: FastifyInstance,
  userEvents: UserEvents,
  isLive: (sessionId: string) => Promise<boolean>,
): void {
  serve(app, events, async ({ caller, request, reply }) => {
    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    raw.write('retry: 1000\n\n')
    const lastEventId = request.headers['last-event-id']
    const end = userEvents.subscribe(
      {
        userId: caller.userId,
        isLive: () => isLive(caller.sessionId),
        send: (event, position) =>
          raw.write(`event: ${event.type}\nid: ${position}\ndata: ${JSON.stringify(event)}\n\n`),
        close: () => raw.end(),
      },
      typeof lastEventId === 'string' ? lastEventId : undefined,
    )
    const heartbeat = setInterval(() => {
      void isLive(caller.sessionId).then((live) => (live ? raw.write(': still here\n\n') : raw.end()))
    }, heartbeatMs)
    await new Promise<void>((resolve) => raw.once('close', resolve))
    clearInterval(heartbeat)
    end()
    return undefined as never
  })
}
