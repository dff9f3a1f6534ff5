import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type Span, SpanKind } from '@opentelemetry/api'
import type { TracingConfig } from '../runtime/config.ts'
import { isSampled, type Tracer } from './tracer.ts'

/** Request of the client behind `fetch` (undici). */
interface ClientRequest {
  readonly origin: string | URL
  readonly method: string
  addHeader(name: string, value: string): void
}

/**
 * Traces outgoing requests by method and host, never by address, which contains ids and tokens. `traceparent` leaves
 * the installation only if configured. Returns the function that ends it.
 */
export function traceFetches({ contexts, start, end }: Tracer, { isSent }: Pick<TracingConfig, 'isSent'>): () => void {
  const spans = new WeakMap<object, Span>()
  const begin = (message: unknown) => {
    if (!isSampled(contexts.active())) return
    const { request } = message as { request: ClientRequest }
    const { hostname, port } = new URL(request.origin)
    const { span } = start(`${request.method} ${hostname}`, {
      kind: SpanKind.CLIENT,
      attributes: { 'http.request.method': request.method, 'server.address': hostname, 'server.port': port },
    })
    spans.set(request, span)
    const { traceId, spanId } = span.spanContext()
    if (isSent) request.addHeader('traceparent', `00-${traceId}-${spanId}-01`)
  }
  const receive = (message: unknown) => {
    const { request, response } = message as { request: object; response: { statusCode: number } }
    spans.get(request)?.setAttribute('http.response.status_code', response.statusCode)
  }
  const finish = (message: unknown) => {
    const { request, error } = message as { request: object; error?: unknown }
    const span = spans.get(request)
    if (span) end(span, error)
    spans.delete(request)
  }
  const handlers = {
    'undici:request:create': begin,
    'undici:request:headers': receive,
    'undici:request:trailers': finish,
    'undici:request:error': finish,
  }
  for (const [name, handler] of Object.entries(handlers)) subscribe(name, handler)
  return () => {
    for (const [name, handler] of Object.entries(handlers)) unsubscribe(name, handler)
  }
}
