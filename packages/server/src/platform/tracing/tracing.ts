// Traces of this process. Without a collector nothing here does any work, and no package of OpenTelemetry is loaded.

import type { PosterTrace } from '@tern/ledger/group-commit/poster'
import type { FastifyInstance } from 'fastify'

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  /** Values without personal data, amounts or secrets. */
  readonly attributes?: SpanAttributes
  /** Parent instead of the current span, as a `traceparent` of our own. */
  readonly parent?: string | undefined
  /** True to begin a trace if there is no `parent`. */
  readonly isRoot?: boolean
  readonly kind?: 'internal' | 'client' | 'consumer'
}

export interface Tracing {
  /** Runs `work` in a span, which ends with it. */
  span<T>(name: string, options: SpanOptions, work: () => T): T
  /** Records a finished span; times in milliseconds since 1970. */
  record(name: string, options: SpanOptions & { readonly startedAt: number; readonly endedAt: number }): void
  /** Returns the current span as a `traceparent`; undefined without one that is sampled. */
  current(): string | undefined
  readonly poster: PosterTrace
  /** Traces the requests of an application; must be called before other hooks are added. */
  requests(http: FastifyInstance): void
  /** Sends the remaining spans, for at most a few seconds, and ends all tracing. */
  stop(): Promise<void>
}

let active: Tracing | undefined

/** Returns the traces of this process; undefined without a collector. */
export const tracing = (): Tracing | undefined => active

export function setTracing(started: Tracing | undefined): void {
  active = started
}

/** Runs `work`, in a span if this process is traced. */
export const traced = <T>(name: string, work: () => T, options: SpanOptions = {}): T =>
  active === undefined ? work() : active.span(name, options, work)

/** Runs a job or task in a span of its own, which continues the trace in the job's payload, if any. */
export function traceJob<T>(name: string, payload: unknown, work: () => T): T {
  if (active === undefined) return work()
  const parent = (payload as { traceparent?: unknown } | null | undefined)?.traceparent
  const options = typeof parent === 'string' ? { parent } : {}
  return active.span(name, { ...options, kind: 'consumer', isRoot: true }, work)
}
