import type { StepUpRequirement } from '@tern/contract/security'
import { stepUp } from '#messages/identity/step-up.ts'
import { formatSubjectValue } from './StepUpSubject.tsx'

/** Reason for a confirmation: the specific one if known, else the general one of its action. */
export function describeReason({ action, reason, subject }: StepUpRequirement): string {
  const reasonText = reason && stepUp.because[reason]
  if (reasonText) return `${stepUp.reasonUnknown} ${reasonText}`
  const generalText = stepUp.reasons[action] ?? stepUp.reasonUnknown
  const withdrawal = describeWithdrawal(subject, action)
  return withdrawal === undefined ? generalText : `${withdrawal} ${generalText}`
}

/** Sentence with the amount of a withdrawal, and its account unless that is being linked; undefined otherwise. */
function describeWithdrawal(
  { to, amount, withdraws }: StepUpRequirement['subject'],
  action: string,
): string | undefined {
  if (withdraws !== undefined) return stepUp.toWithdrawThere(formatSubjectValue(withdraws))
  if (action !== 'withdraw_money' || amount === undefined || to === undefined) return undefined
  return stepUp.toWithdraw(formatSubjectValue(amount), to)
}
