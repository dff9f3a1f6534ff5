import { type Reason, refuseField } from '../../../platform/refuse.ts'

/** Result of checking a one-time code. `used`: it was accepted before. */
export type CodeVerdict = 'right' | 'used' | 'wrong'

export type CodeKind = 'totp' | 'recovery_code' | 'email'

const usedReasons: Readonly<Record<CodeKind, Reason>> = {
  totp: 'wait_for_next_code',
  recovery_code: 'use_other_recovery_code',
  email: 'ask_for_new_code',
}

const isDigit = (code: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(code))

/** Returns the ASCII form of a decimal digit. Unicode lists each script's ten digits in sequence. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let zeroCode = code
  while (code - zeroCode < 9 && isDigit(zeroCode - 1)) zeroCode -= 1
  return String(code - zeroCode)
}

/** Converts digits of a typed or pasted code to ASCII, and removes spaces, dashes, points and invisible characters. */
export const plainCode = (codeText: string): string =>
  codeText
    .normalize('NFKC')
    .replaceAll(/[\s\p{Pd}\u2212\u30FC.·\p{Cf}]/gu, '')
    .replaceAll(/\p{Nd}/gu, plainDigit)

/** True for a right code. Refuses `code_used`, which attempt guards do not count as a guess. */
export function acceptCode(verdict: CodeVerdict, kind: CodeKind): boolean {
  if (verdict === 'used') refuseField('code_used', 'code', usedReasons[kind])
  return verdict === 'right'
}
