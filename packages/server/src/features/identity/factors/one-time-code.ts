import { type Reason, refuseField } from '../../../platform/refuse.ts'

/** Verdict on a one-time code. `used`: it was right once, and never will be again. */
export type CodeVerdict = 'right' | 'used' | 'wrong'

export type CodeKind = 'totp' | 'recovery_code' | 'email'

const usedReasons: Readonly<Record<CodeKind, Reason>> = {
  totp: 'wait_for_next_code',
  recovery_code: 'use_other_recovery_code',
  email: 'ask_for_new_code',
}

/**
 * Whether a code is right. Refuses `code_used` for a used one: it tells a guesser nothing, so guards of attempts count it as
 * not made.
 */
export function acceptCode(verdict: CodeVerdict, kind: CodeKind): boolean {
  if (verdict === 'used') refuseField('code_used', 'code', usedReasons[kind])
  return verdict === 'right'
}
