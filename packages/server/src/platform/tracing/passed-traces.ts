import { traced } from './tracing.ts'

/** Traces remembered, so that a burst of movements does not fill the memory. */
const maxTraces = 10_000

const traces = new Map<string, string>()

/**
 * Remembers the span of a movement, whose notifications follow in this process. Only the newest movements are
 * remembered: without its span, a notification is not traced.
 */
export function rememberTrace(reference: string, traceparent: string): void {
  const [oldest] = traces.size >= maxTraces ? traces.keys() : []
  if (oldest !== undefined) traces.delete(oldest)
  traces.set(reference, traceparent)
}

/** Returns the span of a movement, by the id of its transaction. */
export const findTrace = (reference: string | undefined): string | undefined =>
  reference === undefined ? undefined : traces.get(reference)

/** Runs work about a movement in a span that continues it; without its span, untraced. */
export function continueTrace<T>(reference: string | undefined, name: string, work: () => T): T {
  const parent = findTrace(reference)
  return parent === undefined ? work() : traced(name, work, { parent })
}
