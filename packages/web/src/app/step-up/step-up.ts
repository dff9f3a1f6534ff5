import { Refused } from '@tern/contract/protocol/client'
import type { CallInput, Endpoint, Reply } from '@tern/contract/protocol/endpoint'
import { type ProofDemand, proofDemand } from '@tern/contract/security'
import { callApi } from '../session/session.ts'

/** The person was asked to confirm that it is them and did not: the call was not carried out. */
export const notConfirmed = Symbol('not confirmed')
export type NotConfirmed = typeof notConfirmed

/** How asking for a confirmation ended. An expired one has to be asked for anew. */
export type Confirmation = 'confirmed' | 'cancelled' | 'expired'

function demandOf(error: unknown): ProofDemand | undefined {
  if (!(error instanceof Refused) || error.code !== 'proof_required') return undefined
  const read = proofDemand.safeParse(error.problem.proof)
  return read.success ? read.data : undefined
}

const hasExpired = (error: unknown): boolean => error instanceof Refused && error.code === 'proof_invalid'

// The dialog and the browser's passkeys are fetched when somebody is asked for the first time.
async function ask(demand: ProofDemand): Promise<Confirmation> {
  const { askForProof } = await import('./ask-for-step-up.tsx')
  return askForProof(demand)
}

/**
 * Carries out `order`, which takes the id of a confirmation. When the server first wants to know that it is really the
 * person, they are asked, and the same order is given again with what they confirmed. `onAsk` runs before they are asked:
 * the order has not been carried out then. Gives `notConfirmed` when they close the question; throws what `order` throws.
 */
export async function withProof<T>(
  order: (proof: string | undefined) => Promise<T>,
  onAsk?: () => void,
): Promise<T | NotConfirmed> {
  let proof: string | undefined
  for (;;) {
    try {
      return await order(proof)
    } catch (error) {
      const demand = demandOf(error)
      if (demand) {
        onAsk?.()
        const answer = await ask(demand)
        if (answer === 'cancelled') return notConfirmed
        proof = answer === 'confirmed' ? demand.id : undefined
      } else if (proof !== undefined && hasExpired(error)) proof = undefined
      else throw error
    }
  }
}

/** Calls an endpoint that may ask for a fresh proof: `callApi` with the question in between. */
export const callWithProof = <E extends Endpoint & { readonly proof: 'taken' }>(
  endpoint: E,
  input: CallInput<E>,
): Promise<Reply<E> | NotConfirmed> =>
  withProof((proof) => callApi(endpoint, { ...(input as object), proof } as CallInput<E>))
