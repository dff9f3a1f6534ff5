import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Tracer } from './tracer.ts'

/**
 * Traces requests by method and route, never by address, which may contain tokens. A request always begins a trace of
 * its own: a caller's `traceparent` is only linked, so that no caller chooses trace ids or what is sampled.
 */
export function traceRequests({ contexts, start }: Tracer, http: FastifyInstance): void {
  const requests = new WeakMap<FastifyRequest, { readonly span: Span; readonly context: Context }>()
  http.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const attributes = { 'http.request.method': request.method, 'http.route': route, 'tern.request.id': request.id }
    const started = start(`${request.method} ${route}`, { context: ROOT_CONTEXT, kind: SpanKind.SERVER, attributes })
    const { traceparent } = request.headers
    const caller = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null
    if (caller && trace.isSpanContextValid(caller)) started.span.addLink({ context: caller })
    requests.set(request, started)
    contexts.with(started.context, done)
  })
  // The events of a body that has been read belong to the connection, not to the request.
  http.addHook('preValidation', (request, _reply, done) => {
    const started = requests.get(request)
    if (started) contexts.with(started.context, done)
    else done()
  })
  http.addHook('onResponse', (request, { statusCode }, done) => {
    const span = requests.get(request)?.span
    span?.setAttribute('http.response.status_code', statusCode)
    if (request.refusalCode !== undefined) span?.setAttribute('tern.refusal', request.refusalCode)
    if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
    done()
  })
}
