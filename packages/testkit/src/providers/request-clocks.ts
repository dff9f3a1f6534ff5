// For tests: requests to rate sources that time out, however slow the machine is.

import { vi } from 'vitest'
import type { Answer } from './rate-sources.ts'

/**
 * Stops the timeouts of requests in this process; returns an answer that lets its own request time out at once. So
 * exactly the requests with this answer time out, however slow the machine is.
 */
export function stopRequestClocks(): Answer {
  const clocks = new WeakMap<AbortSignal, AbortController>()
  const requestControllers = new Map<string, AbortController>()
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const clock = new AbortController()
    clocks.set(clock.signal, clock)
    return clock.signal
  })
  const { fetch } = globalThis
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const clock = init?.signal && clocks.get(init.signal)
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    if (clock) requestControllers.set(pathname + search, clock)
    return fetch(input, init)
  })
  return ({ url = '/' }) =>
    requestControllers.get(url)?.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
}
