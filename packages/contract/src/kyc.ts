import * as z from 'zod/mini'
import { kycStatusValue } from './identity.ts'
import { endpoint } from './protocol/endpoint.ts'
import { userNumberText } from './protocol/wire.ts'

export type KycStatus = z.output<typeof kycStatusValue>

export const kycState = z.object({
  status: kycStatusValue,
  reasons: z.array(z.object({ field: z.string(), code: z.string(), message: z.string() })),
  next_step: z.nullable(z.enum(['confirm_email', 'identity_check'])),
})

export const kycStatus = endpoint({
  method: 'GET',
  path: '/kyc/:id/status',
  summary: 'State of the identity verification, with what is still required.',
  access: 'session',
  params: z.object({ id: userNumberText }),
  reply: kycState,
  refusals: ['not_found'],
})

export const openIdentityPage = endpoint({
  method: 'POST',
  path: '/kyc/:id/identity-page',
  summary: 'Open the page that continues the identity check, if `next_step` requires it. Its address works once.',
  access: 'session',
  params: z.object({ id: userNumberText }),
  reply: z.object({ url: z.url() }),
  refusals: ['not_found', 'provider_unavailable', 'rate_limited'],
})
