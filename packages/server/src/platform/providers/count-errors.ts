import type { UnknownOutcome } from '@tern/providers/outcome'
import { traced } from '../tracing/tracing.ts'
import { type Metrics, startAtZero } from '../runtime/metrics.ts'

type Method = (this: unknown, ...parameters: unknown[]) => unknown

const isUncertain = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 'unknown'

/** True for an event of another version of the provider's API. */
const hasOtherVersion = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'otherVersion' in answer && answer.otherVersion !== undefined

/** Returns why a provider rejects our key or request; undefined if it does not. */
const findFault = (answer: unknown): string | undefined =>
  isUncertain(answer) && (answer as UnknownOutcome).fault === 'configuration'
    ? (answer as UnknownOutcome).reason
    : undefined

export interface ErrorWatch {
  readonly metrics: Pick<Metrics, 'providerErrors' | 'providerFaults'>
  readonly log?: { error(details: object, message: string): void } | undefined
}

/**
 * Wraps a provider and counts each asynchronous call that fails or has an unknown result, and each event of another API
 * version. A call rejected because of our configuration is logged as an error, and sets a gauge to 1 until a later call
 * succeeds.
 */
export function countErrors<P extends { readonly name: string }>(
  provider: P,
  kind: string,
  { metrics: { providerErrors, providerFaults }, log }: ErrorWatch,
): P {
  const labels = { kind, provider: provider.name }
  providerFaults.set(labels, 0)
  const note = (call: string, answer: unknown) => {
    const reason = findFault(answer)
    if (reason !== undefined) {
      providerFaults.set(labels, 1)
      log?.error({ ...labels, call, reason }, 'a provider does not accept our key, or what we ask')
    } else if (!isUncertain(answer)) providerFaults.set(labels, 0)
  }
  const wrapMethod = (call: string, method: Method): Method => {
    startAtZero(providerErrors, [{ ...labels, call }])
    return function (this: unknown, ...parameters) {
      const fail = () => providerErrors.inc({ kind, provider: provider.name, call })
      const answer = traced(`${provider.name} ${call}`, () => method.apply(this, parameters), {
        kind: 'client',
        attributes: { 'tern.provider.kind': kind },
      })
      if (!(answer instanceof Promise)) {
        if (hasOtherVersion(answer)) fail()
        return answer
      }
      return answer.then(
        (value: unknown) => {
          if (isUncertain(value)) fail()
          note(call, value)
          return value
        },
        (error: unknown) => {
          fail()
          throw error
        },
      )
    }
  }
  const wrap = (value: unknown, name: string): unknown => {
    if (typeof value === 'function') return wrapMethod(name, value as Method)
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, wrap(part, key)]))
  }
  return wrap(provider, provider.name) as P
}
