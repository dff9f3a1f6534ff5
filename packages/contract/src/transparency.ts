import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { moment, uuid } from './protocol/wire.ts'

/** Characters of the longest address that fits a QR code (version 40, level L, bytes). */
export const longestCode = 2953

const postingProof = z.object({
  posting_id: uuid,
  /** Kind of movement in the ledger. */
  kind: z.string(),
  posted_at: moment,
  /** Place in the log, from 0. */
  leaf_index: z.int(),
  /** True for the proof that the receipt shows: of the posting that delivered the money. */
  is_receipt: z.boolean(),
  /** Names of the configured witnesses that have cosigned the proof's checkpoint. */
  witnesses: z.array(z.string()),
  /** Content of a .tlog-proof file. */
  file: z.string(),
  /** Address of the page that verifies the proof; the part behind `#` is the proof. */
  url: z.string(),
})

export const transactionProofShape = z.object({
  /** `not_yet` until the log contains a posting of the transaction, usually for seconds. */
  state: z.enum(['logged', 'not_yet']),
  proofs: z.array(postingProof),
})

export const transactionProof = endpoint({
  method: 'GET',
  path: '/transaction/:id/proof',
  summary: "Proofs that the postings of one of the caller's own transactions are in the transparency log.",
  access: 'session',
  params: z.object({ id: uuid }),
  reply: transactionProofShape,
  refusals: ['not_found', 'rate_limited'],
})
