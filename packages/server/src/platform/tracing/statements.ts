import { type Context, type Span, SpanKind } from '@opentelemetry/api'
import pg from 'pg'
import { isSampled, type Tracer } from './tracer.ts'

type Callback = (error: unknown, ...results: unknown[]) => void
type Query = (this: unknown, ...parameters: unknown[]) => unknown
type Connect = (this: unknown, callback?: Callback) => unknown

/** Returns a statement's prepared name, or its first words: never a value. */
export function nameStatement(query: unknown): string {
  const { name, text } = typeof query === 'string' ? { name: undefined, text: query } : (query as pg.QueryConfig)
  if (typeof name === 'string') return name
  const words = text.replaceAll(/--.*$/gm, '').trim()
  const operation = /^[a-z]+/i.exec(words)?.[0]?.toLowerCase() ?? 'statement'
  const called = /^select\s+([a-z_.]+)\(/i.exec(words)?.[1]
  const table = /\b(?:from|into|update)\s+(?:only\s+)?([a-z_][a-z_.]*)/i.exec(words)?.[1]
  return [operation, called ?? table].filter(Boolean).join(' ')
}

/**
 * Traces the statements of all clients within a traced request, job or batch, by name. pg publishes no events of its
 * own, so its two methods are wrapped. Returns the function that restores them.
 */
export function traceStatements(tracer: Tracer): () => void {
  const { contexts } = tracer
  // oxlint-disable-next-line typescript/unbound-method
  const query = pg.Client.prototype.query as unknown as Query
  // oxlint-disable-next-line typescript/unbound-method
  const connect = pg.Pool.prototype.connect as unknown as Connect

  function tracedQuery(this: unknown, ...parameters: unknown[]): unknown {
    const context = contexts.active()
    if (!isSampled(context)) return query.apply(this, parameters)
    const attributes = { 'db.system.name': 'postgresql' }
    const { span } = tracer.start(nameStatement(parameters[0]), { kind: SpanKind.CLIENT, attributes })
    return follow(tracer, { span, context }, (callback) => {
      const last = parameters.at(-1)
      if (typeof last !== 'function') return query.apply(this, parameters)
      return query.apply(this, [...parameters.slice(0, -1), callback(last as Callback)])
    })
  }
  /** Keeps the caller's context while it waits for a connection that another request releases. */
  function boundConnect(this: unknown, callback?: Callback): unknown {
    return connect.apply(this, callback ? [contexts.bind(contexts.active(), callback)] : [])
  }

  Object.assign(pg.Client.prototype, { query: tracedQuery })
  Object.assign(pg.Pool.prototype, { connect: boundConnect })
  return () => {
    Object.assign(pg.Client.prototype, { query })
    Object.assign(pg.Pool.prototype, { connect })
  }
}

/** Ends a span with the promise or the callback of a statement. */
function follow(
  { contexts, end }: Tracer,
  { span, context }: { readonly span: Span; readonly context: Context },
  send: (wrap: (callback: Callback) => Callback) => unknown,
): unknown {
  const result = send((callback) =>
    contexts.bind(context, (error: unknown, ...results: unknown[]) => {
      end(span, error ?? undefined)
      callback(error, ...results)
    }),
  )
  if (result instanceof Promise) {
    result.then(
      () => end(span),
      (error: unknown) => end(span, error),
    )
  }
  return result
}
