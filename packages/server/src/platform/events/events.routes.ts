import { events } from '@tern/contract/events'
import type { FastifyInstance } from 'fastify'
import type { UserEvents } from './events.ts'
import { serve } from '../http/serve.ts'

const heartbeatMs = 15_000
const maxUnreadBytes = 1024 * 1024

/** `GET /events`: the caller's stream, until it is closed, the session ends or the server stops. */
export function eventsRoutes(
  app: FastifyInstance,
  userEvents: UserEvents,
  isLive: (sessionId: string) => Promise<boolean>,
): void {
  serve(app, events, async ({ caller, request, reply }) => {
    reply.hijack()
    const { raw } = reply
    // If the reader disconnected during the session check, no further close event follows.
    if (raw.destroyed) return undefined as never
    raw.on('error', () => {})
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    const write = (text: string) => {
      if (raw.writableEnded || raw.destroyed) return
      // Disconnects a reader who does not read; they can resume.
      if (raw.writableLength > maxUnreadBytes) raw.destroy()
      else raw.write(text)
    }
    write('retry: 1000\n\n')
    const lastEventId = request.headers['last-event-id']
    const end = userEvents.subscribe(
      {
        userId: caller.userId,
        isLive: () => isLive(caller.sessionId),
        send: (event, position) => write(`event: ${event.type}\nid: ${position}\ndata: ${JSON.stringify(event)}\n\n`),
        // An id without data is not an event, but sets the position to resume at.
        advance: (position) => write(`id: ${position}\n\n`),
        close: () => raw.end(),
      },
      typeof lastEventId === 'string' ? lastEventId : undefined,
    )
    const heartbeat = setInterval(() => {
      isLive(caller.sessionId).then(
        (live) => (live ? write(': still here\n\n') : raw.end()),
        () => raw.end(),
      )
    }, heartbeatMs)
    await new Promise<void>((resolve) => raw.once('close', resolve))
    clearInterval(heartbeat)
    end()
    return undefined as never
  })
}
