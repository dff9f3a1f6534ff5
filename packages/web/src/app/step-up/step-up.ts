import { Refused } from '@tern/contract/protocol/client'
import type { CallInput, Endpoint, Reply } from '@tern/contract/protocol/endpoint'
import type { StepUpRequirement } from '@tern/contract/security'
import { callApi } from '../session/session.ts'

/** The person was asked to confirm that it is them and did not: the call was not carried out. */
export const notConfirmed = Symbol('not confirmed')
export type NotConfirmed = typeof notConfirmed

type Subject = StepUpRequirement['subject']

/** How asking for a confirmation ended. An expired one has to be asked for anew. */
export type Confirmation = 'confirmed' | 'cancelled' | 'expired'

// What reads the question, the dialog and the browser's passkeys are fetched when somebody is asked for the first time.
async function requirementOf(error: unknown): Promise<StepUpRequirement | undefined> {
  if (!(error instanceof Refused) || error.code !== 'step_up_required') return undefined
  const { stepUpRequirement } = await import('@tern/contract/security')
  const read = stepUpRequirement.safeParse(error.problem.confirmation)
  return read.success ? read.data : undefined
}

const hasExpired = (error: unknown): boolean => error instanceof Refused && error.code === 'step_up_invalid'

const isSame = (one: Subject, other: Subject): boolean =>
  Object.keys({ ...one, ...other }).every((name) => one[name] === other[name])

/** Asks the person; an order that has changed since it was asked `before` is told as such. */
async function ask(requirement: StepUpRequirement, before: Subject | undefined): Promise<Confirmation> {
  const { askForStepUp } = await import('./ask-for-step-up.tsx')
  return askForStepUp(requirement, before && !isSame(before, requirement.subject) ? before : undefined)
}

/**
 * Carries out `order`, which takes the id of a confirmation. When the server first wants to know that it is really the
 * person, they are asked, and the same order is given again with what they confirmed. `onAsk` runs before they are asked:
 * the order has not been carried out then. Gives `notConfirmed` when they close the question; throws what `order` throws.
 */
export async function withStepUp<T>(
  order: (confirmation: string | undefined) => Promise<T>,
  onAsk?: () => void,
): Promise<T | NotConfirmed> {
  let confirmation: string | undefined
  let before: Subject | undefined
  for (;;) {
    try {
      return await order(confirmation)
    } catch (error) {
      const requirement = await requirementOf(error)
      if (requirement) {
        onAsk?.()
        const answer = await ask(requirement, before)
        before = requirement.subject
        if (answer === 'cancelled') return notConfirmed
        confirmation = answer === 'confirmed' ? requirement.id : undefined
      } else if (confirmation !== undefined && hasExpired(error)) confirmation = undefined
      else throw error
    }
  }
}

/** Calls an endpoint that may need a step-up confirmation: `callApi` with the question in between, when the server asks. */
export const callWithStepUp = <E extends Endpoint>(
  endpoint: E,
  input: CallInput<E>,
): Promise<Reply<E> | NotConfirmed> =>
  withStepUp((confirmation) => callApi(endpoint, { ...(input as object), confirmation } as CallInput<E>))
