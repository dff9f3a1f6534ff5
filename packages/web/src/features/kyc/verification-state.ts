import { kyc } from '#messages/identity/kyc.ts'
import type { Verdict } from '../../app/verification/identity-check.ts'

type Status = Verdict['status']
/** Statuses in which nothing is left to submit. */
export type SettledStatus = Extract<Status, 'verified' | 'pending' | 'in_review'>
export const isSettled = (status: Status): status is SettledStatus => status in kyc.submittedText
