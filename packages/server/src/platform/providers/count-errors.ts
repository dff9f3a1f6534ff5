import type { Metrics } from '../runtime/metrics.ts'

type Method = (this: unknown, ...parameters: unknown[]) => unknown

const isUncertain = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 'unknown'

/** The same provider, with each call counted that throws or has no certain answer. */
export function countErrors<P extends { readonly name: string }>(
  provider: P,
  kind: string,
  { providerErrors }: Pick<Metrics, 'providerErrors'>,
): P {
  const wrapMethod = (call: string, method: Method): Method =>
    function (this: unknown, ...parameters) {
      const fail = () => providerErrors.inc({ kind, provider: provider.name, call })
      const answer = method.apply(this, parameters)
      if (!(answer instanceof Promise)) return answer
      return answer.then(
        (value: unknown) => {
          if (isUncertain(value)) fail()
          return value
        },
        (error: unknown) => {
          fail()
          throw error
        },
      )
    }
  const wrap = (value: unknown, name: string): unknown => {
    if (typeof value === 'function') return wrapMethod(name, value as Method)
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, wrap(part, key)]))
  }
  return wrap(provider, provider.name) as P
}
