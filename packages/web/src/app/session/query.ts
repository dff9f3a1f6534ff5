import { queryOptions } from '@tanstack/react-query'
import type { CallInput, Endpoint, ExactInput } from '@tern/contract/protocol/endpoint'
import { Refused } from '@tern/contract/protocol/client'
import { callApi, callAsVisitor } from './session.ts'

/** First elements of a query's key, by which it is refetched: its topic, and usually the person. */
type Scope = readonly [topic: string, ...rest: unknown[]]

/**
 * Query of a read-only endpoint as the signed-in person. Its key is the scope, the path and the input, so that no two
 * calls share one. Disabled while a part of the scope is undefined.
 */
export const buildQuery = <E extends Endpoint, I extends CallInput<E>>(
  scope: Scope,
  endpoint: E,
  input: I & ExactInput<E, I>,
) =>
  queryOptions({
    queryKey: [...scope, endpoint.path, input],
    queryFn: ({ signal }) => callApi(endpoint, input, signal),
    enabled: !scope.includes(undefined),
  })

/** Like `buildQuery`, but as a visitor, for pages without a session. */
export const buildVisitorQuery = <E extends Endpoint, I extends CallInput<E>>(
  scope: Scope,
  endpoint: E,
  input: I & ExactInput<E, I>,
) => ({
  ...buildQuery(scope, endpoint, input),
  queryFn: ({ signal }: { signal: AbortSignal }) => callAsVisitor(endpoint, input, signal),
})

/** `retry` option that gives up at once on a refusal. */
export const retryUnlessRefused = (maxRetries: number) => (failures: number, error: Error) =>
  !(error instanceof Refused) && failures < maxRetries
