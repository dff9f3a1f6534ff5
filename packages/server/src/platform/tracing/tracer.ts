// Shared by the parts of tracing.

import {
  type Context,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as SpanSource,
} from '@opentelemetry/api'
import type { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import type { SpanAttributes } from './tracing.ts'

export interface Tracer {
  readonly contexts: AsyncLocalStorageContextManager
  start(name: string, options: StartOptions): { readonly span: Span; readonly context: Context }
  /** Ends a span; of an error it keeps only the kind, since messages may quote anything. */
  end(span: Span, error?: unknown): void
}

export interface StartOptions {
  readonly context?: Context
  readonly kind?: SpanKind
  readonly attributes?: SpanAttributes
  readonly startTime?: number
}

export const isSampled = (context: Context): boolean => trace.getSpan(context)?.isRecording() ?? false

/** Returns an error's code or name. */
export const describeKind = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return code !== undefined && /^\w{1,40}$/.test(code) ? code : error instanceof Error ? error.name : 'error'
}

export function createTracer(source: SpanSource, contexts: AsyncLocalStorageContextManager): Tracer {
  return {
    contexts,
    start(name, { context = contexts.active(), ...options }) {
      const span = source.startSpan(name, options, context)
      return { span, context: trace.setSpan(context, span) }
    },
    end(span, error) {
      if (error !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        span.setAttribute('error.type', describeKind(error))
      }
      span.end()
    },
  }
}
