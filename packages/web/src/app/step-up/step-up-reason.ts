import type { StepUpRequirement } from '@tern/contract/security'
import { stepUp } from '#messages/identity/step-up.ts'
import { readable } from './StepUpSubject.tsx'

/** Reason for a confirmation: the one that applied, else the general one of its action. */
export function describeReason({ action, reason, subject }: StepUpRequirement): string {
  const because = reason && stepUp.because[reason]
  if (because) return `${stepUp.reasonUnknown} ${because}`
  const general = stepUp.reasons[action] ?? stepUp.reasonUnknown
  const withdrawal = describeWithdrawal(subject, action)
  return withdrawal === undefined ? general : `${withdrawal} ${general}`
}

/** Sentence with the amount and the account of a withdrawal; undefined for other actions. */
function describeWithdrawal(
  { to, amount, withdraws }: StepUpRequirement['subject'],
  action: string,
): string | undefined {
  if (withdraws !== undefined) return stepUp.toWithdrawThere(readable(withdraws))
  if (action !== 'withdraw_money' || amount === undefined || to === undefined) return undefined
  return stepUp.toWithdraw(readable(amount), to)
}
