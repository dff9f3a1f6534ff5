import type { StepUpRequirement } from '@tern/contract/security'
import { stepUp } from '#messages/identity/step-up.ts'
import { readable } from './StepUpSubject.tsx'

/** Why a confirmation is asked: the reason that applied, else what holds for every action of the kind. */
export function reasonOf({ action, reason, subject }: StepUpRequirement): string {
  const because = reason && stepUp.because[reason]
  if (because) return `${stepUp.reasonUnknown} ${because}`
  const general = stepUp.reasons[action] ?? stepUp.reasonUnknown
  const withdrawal = withdrawalOf(subject, action)
  return withdrawal === undefined ? general : `${withdrawal} ${general}`
}

/** The amount that a confirmation lets out, and the account it goes to; undefined where it is no withdrawal. */
function withdrawalOf({ to, amount, withdraws }: StepUpRequirement['subject'], action: string): string | undefined {
  if (withdraws !== undefined) return stepUp.toWithdrawThere(readable(withdraws))
  if (action !== 'withdraw_money' || amount === undefined || to === undefined) return undefined
  return stepUp.toWithdraw(readable(amount), to)
}
