import type { CallInput, Endpoint, ExactInput, Reply } from '@tern/contract/protocol/endpoint'
import { useState } from 'react'
import { callApi } from '../session/session.ts'
import { createIdempotencyKeys, retrySameKey } from './orders.ts'

const noop = () => {}

type KeyedEndpoint = Endpoint & { readonly idempotencyKey: 'required' | 'optional' }
type Input<E extends Endpoint> = Omit<CallInput<E>, 'idempotencyKey'> & { readonly body: unknown }

/** Calls an endpoint with an Idempotency-Key, so that a repeated press or a lost answer creates only one object. */
export function useKeyedCall() {
  const [keys] = useState(() => createIdempotencyKeys())
  return async <E extends KeyedEndpoint, I extends Input<E>>(
    endpoint: E,
    input: I & ExactInput<E, I>,
  ): Promise<Reply<E>> => {
    const idempotencyKey = keys.getKey(JSON.stringify(input.body))
    try {
      const keyedInput = { ...input, idempotencyKey } as unknown as CallInput<E>
      const reply = await retrySameKey(() => callApi(endpoint, keyedInput), noop)
      keys.clear()
      return reply
    } catch (error) {
      keys.failed(error)
      throw error
    }
  }
}
