import { type Context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api'
import type { PosterTrace } from '@tern/ledger/group-commit/poster'
import { isSampled, type Tracer } from './tracer.ts'

/** Movement that waits for its batch. */
interface Entry {
  readonly context: Context
  queuedAt: number
}

/**
 * Traces group commits: a span per batch, below its first traced movement and linked with the others. Each of those gets
 * a span of the same times, linked with the batch, so that every movement shows how long it waited and was posted.
 */
export function createPosterTrace({ contexts, start, end }: Tracer): PosterTrace {
  const recordShared = (entry: Entry, batch: Span, startTime: number) => {
    const attributes = { 'tern.batch.shared': true }
    const { span } = start('batch', { context: entry.context, attributes, startTime })
    span.addLink({ context: batch.spanContext() })
    span.end()
  }
  return {
    queued() {
      const context = contexts.active()
      return isSampled(context) ? ({ context, queuedAt: Date.now() } satisfies Entry) : undefined
    },
    async batch(queued, work) {
      const [first, ...others] = queued.filter((entry) => entry !== undefined) as Entry[]
      // The lane runs in the context of the request that woke it, which this batch may not concern.
      if (!first) return contexts.with(ROOT_CONTEXT, work)
      const startTime = Date.now()
      for (const entry of [first, ...others]) {
        start('wait for the batch', { context: entry.context, startTime: entry.queuedAt }).span.end(startTime)
        // A batch that is sent again waits from here.
        entry.queuedAt = startTime
      }
      const attributes = { 'tern.batch.movements': queued.length }
      const { span, context } = start('batch', { context: first.context, attributes, startTime })
      for (const entry of others) {
        const spanContext = trace.getSpanContext(entry.context)
        if (spanContext) span.addLink({ context: spanContext })
      }
      try {
        const result = await contexts.with(context, work)
        end(span)
        return result
      } catch (error) {
        end(span, error)
        throw error
      } finally {
        for (const entry of others) recordShared(entry, span, startTime)
        for (const entry of [first, ...others]) entry.queuedAt = Date.now()
      }
    },
    async commit(work) {
      const { span, context } = start('commit', {})
      return contexts.with(context, work).finally(() => end(span))
    },
    detached: (work) => contexts.with(ROOT_CONTEXT, work),
  }
}
