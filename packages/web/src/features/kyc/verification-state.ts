import type { kycStatus } from '@tern/contract/kyc'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { kyc } from '#messages/identity/kyc.ts'

/** Where a verification stands, and what it lacks. */
export type Verdict = Reply<typeof kycStatus>

type Status = Verdict['status']
/** Where the person has nothing to send any more. */
export type Settled = Extract<Status, 'verified' | 'pending' | 'in_review'>
export const isSettled = (status: Status): status is Settled => status in kyc.submittedText
