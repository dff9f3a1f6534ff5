import { Refused } from '@tern/contract/protocol/client'
import type { CallInput, Endpoint, ExactInput, Reply } from '@tern/contract/protocol/endpoint'
import type { StepUpRequirement } from '@tern/contract/security'
import { callApi } from '../session/session.ts'

/** Result of a call that was not carried out, because the person did not confirm it. */
export const notConfirmed = Symbol('not confirmed')
export type NotConfirmed = typeof notConfirmed

type Subject = StepUpRequirement['subject']

/** Outcome of asking for a confirmation. An expired one has to be requested again. */
export type Confirmation = 'confirmed' | 'cancelled' | 'expired'

// The schema is imported on demand, like the dialog and the passkey code: most orders need no confirmation.
async function readRequirement(error: unknown): Promise<StepUpRequirement | undefined> {
  if (!(error instanceof Refused) || error.code !== 'step_up_required') return undefined
  const { stepUpRequirement } = await import('@tern/contract/security')
  const parsed = stepUpRequirement.safeParse(error.problem.confirmation)
  return parsed.success ? parsed.data : undefined
}

const hasExpired = (error: unknown): boolean => error instanceof Refused && error.code === 'step_up_invalid'

const isSame = (a: Subject, b: Subject): boolean => Object.keys({ ...a, ...b }).every((name) => a[name] === b[name])

/** Opens the dialog, which points out changes of the order since `before`. */
async function confirm(requirement: StepUpRequirement, before: Subject | undefined): Promise<Confirmation> {
  const { promptStepUp } = await import('./prompt-step-up.tsx')
  return promptStepUp(requirement, before && !isSame(before, requirement.subject) ? before : undefined)
}

/**
 * Runs `order`, which takes the id of a confirmation. If the server requires step-up, opens the dialog and repeats the
 * order with the confirmation. `onPrompt` runs before the dialog opens, when the order has had no effect. Returns
 * `notConfirmed` if the person dismisses the dialog; throws what `order` throws.
 */
export async function withStepUp<T>(
  order: (confirmation: string | undefined) => Promise<T>,
  onPrompt?: () => void,
): Promise<T | NotConfirmed> {
  let confirmation: string | undefined
  let before: Subject | undefined
  for (;;) {
    try {
      return await order(confirmation)
    } catch (error) {
      const requirement = await readRequirement(error)
      if (requirement) {
        onPrompt?.()
        const answer = await confirm(requirement, before)
        before = requirement.subject
        if (answer === 'cancelled') return notConfirmed
        confirmation = answer === 'confirmed' ? requirement.id : undefined
      } else if (confirmation !== undefined && hasExpired(error)) confirmation = undefined
      else throw error
    }
  }
}

/** `callApi` for an endpoint that may require a step-up confirmation. */
export const callWithStepUp = <E extends Endpoint, I extends CallInput<E>>(
  endpoint: E,
  input: I & ExactInput<E, I>,
): Promise<Reply<E> | NotConfirmed> =>
  withStepUp((confirmation) => callApi(endpoint, { ...(input as object), confirmation } as CallInput<E>))
