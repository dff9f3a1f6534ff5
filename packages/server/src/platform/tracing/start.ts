// The OpenTelemetry SDK behind tracing.ts: loaded only if a collector is configured.

import process from 'node:process'
import { type Context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { envDetector, resourceFromAttributes, detectResources } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { readBuildInfo } from '../runtime/build-info.ts'
import type { TracingConfig } from '../runtime/config.ts'
import { createPosterTrace } from './batches.ts'
import { traceFetches } from './fetches.ts'
import { traceRequests } from './requests.ts'
import { traceStatements } from './statements.ts'
import { createTracer, describeKind, isSampled, type Tracer } from './tracer.ts'
import { setTracing, type SpanOptions, type Tracing } from './tracing.ts'

/** A collector that does not answer delays a stop by no more than this. */
const stopMs = 2000

const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

/** Starts tracing this process. Returns the function that stops it. */
export function startTracing(config: TracingConfig, role: string): Tracing {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': `tern-${role}`,
      'service.version': readBuildInfo().version,
      'process.pid': process.pid,
    }).merge(detectResources({ detectors: [envDetector] })),
    sampler: createSampler(config),
    spanProcessors: [new BatchSpanProcessor({ exporter: reportFailures(new OTLPTraceExporter({ url: config.url })) })],
  })
  const otel = provider.getTracer('tern')
  const contexts = new AsyncLocalStorageContextManager().enable()
  const tracer = createTracer(otel, contexts)
  const undo = [traceStatements(tracer), traceFetches(tracer, config)]

  function findParent({ parent, isRoot = false }: SpanOptions): Context {
    const spanContext = parent === undefined ? null : parseTraceParent(parent)
    if (spanContext) return trace.setSpanContext(ROOT_CONTEXT, spanContext)
    return isRoot ? ROOT_CONTEXT : contexts.active()
  }

  const started: Tracing = {
    span(name, options, work) {
      const { kind = 'internal', attributes = {} } = options
      const { span, context } = tracer.start(name, { context: findParent(options), kind: kinds[kind], attributes })
      return runInSpan(tracer, { span, context }, work)
    },
    record(name, { startedAt, endedAt, ...options }) {
      const { attributes = {} } = options
      tracer.start(name, { context: findParent(options), attributes, startTime: startedAt }).span.end(endedAt)
    },
    current() {
      const context = contexts.active()
      const spanContext = isSampled(context) ? trace.getSpanContext(context) : undefined
      return spanContext && `00-${spanContext.traceId}-${spanContext.spanId}-01`
    },
    poster: createPosterTrace(tracer),
    requests: (http) => traceRequests(tracer, http),
    async stop() {
      setTracing(undefined)
      for (const stop of undo) stop()
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, stopMs)))
      // A failed export has been reported.
      await Promise.race([provider.shutdown().catch(() => {}), timeout])
      clearTimeout(timer)
      contexts.disable()
    },
  }
  setTracing(started)
  return started
}

/** Runs `work` in a span and ends it with the result. */
function runInSpan<T>(tracer: Tracer, { span, context }: ReturnType<Tracer['start']>, work: () => T): T {
  try {
    const result = tracer.contexts.with(context, work)
    if (result instanceof Promise) {
      result.then(
        () => tracer.end(span),
        (error: unknown) => tracer.end(span, error ?? 'error'),
      )
    } else tracer.end(span)
    return result
  } catch (error) {
    tracer.end(span, error ?? 'error')
    throw error
  }
}

/** Returns the sampler of the OpenTelemetry specification with this name. */
function createSampler({ sampler, ratio }: TracingConfig): Sampler {
  const root = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[sampler.replace(/^parentbased_/, '') as 'always_on' | 'always_off' | 'traceidratio']()
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

/** Writes one line when exports begin to fail, and one when they work again. */
function reportFailures(exporter: SpanExporter): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code === ExportResultCode.FAILED
        if (hasFailed !== isFailing) {
          const reason = result.error === undefined ? '' : ` (${describeKind(result.error)})`
          process.stderr.write(
            hasFailed ? `The collector of traces does not accept spans${reason}.\n` : 'The collector accepts spans.\n',
          )
        }
        isFailing = hasFailed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
}
