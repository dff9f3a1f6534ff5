import * as z from 'zod/mini'
import { profileChange, registration } from './protocol/account-forms.ts'
import { endpoint } from './protocol/endpoint.ts'
import { withCode } from './protocol/field-problems.ts'
import {
  countryCode,
  moment,
  noContent,
  requiredText,
  text,
  userNumber,
  userNumberText,
  uuid,
} from './protocol/wire.ts'

export const kycStatusValue = z.enum([
  'not_started',
  'pending',
  'in_review',
  'needs_information',
  'verified',
  'rejected',
])

export const currentUserShape = z.object({
  id: userNumber,
  email: z.string(),
  username: z.string(),
  name: z.nullable(z.string()),
  profile: z.object({ first_name: z.nullable(z.string()) }),
  email_verified: z.boolean(),
  kyc_status: kycStatusValue,
  /**
   * Time at which the account holder froze the account, else null. A frozen account can neither pay nor pull money in.
   */
  frozen_at: z.nullable(moment),
  /** True while reversed money is owed (`GET /payment/losses`); nothing leaves the wallet until it is paid. */
  has_open_loss: z.boolean(),
  /** Time at which a call that an operator is making to the account holder ends at the latest; null without a call. */
  call_until: z.nullable(moment),
  /** Verified place of residence; null before verification. The city is shown only to the account holder. */
  residence: z.nullable(z.object({ country: countryCode, city: z.string() })),
  /** Small values that the account holder's devices store, such as preferences. */
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  created_at: moment,
})
export type CurrentUser = z.output<typeof currentUserShape>

/**
 * Public profile of a user, visible to verified users. `name` is the verified name, its initials, or null; `email` is
 * present only if the searcher entered it in full.
 */
export const publicUserShape = z.object({
  id: userNumber,
  username: z.string(),
  name: z.nullable(z.string()),
  /** Verified name in its native script, if the user gave one; only where the full name is shown. */
  local_name: z.optional(z.string()),
  email: z.optional(z.string()),
  base_currency: z.string(),
  /** Country of verified residence, in profile lookups only; null before verification. */
  country: z.optional(z.nullable(countryCode)),
  /** Wallet id, in profile lookups only; shown shortened to distinguish people with similar names. */
  wallet_address: z.optional(uuid),
})
export type PublicUser = z.output<typeof publicUserShape>

export const register = endpoint({
  method: 'POST',
  path: '/user/register',
  summary: 'Open an account with email and password. Sets the refresh cookie.',
  access: 'public',
  body: registration,
  status: 201,
  reply: z.extend(currentUserShape, { user: currentUserShape, access_token: z.string() }),
  refusals: ['email_taken', 'username_taken', 'rate_limited'],
})

export const refreshToken = endpoint({
  method: 'POST',
  path: '/auth/token',
  summary: 'Exchange the refresh cookie for a new access token; the cookie is rotated.',
  access: 'public',
  reply: z.object({ access_token: z.string() }),
  refusals: ['unauthenticated', 'request_in_progress'],
})

export const logout = endpoint({
  method: 'POST',
  path: '/user/logout',
  summary: 'End this session at once. Idempotent.',
  access: 'public',
  ...noContent,
})

export const currentUser = endpoint({
  method: 'GET',
  path: '/user/user',
  summary: 'The logged-in user.',
  access: 'session',
  reply: currentUserShape,
})

export const searchUsers = endpoint({
  method: 'GET',
  path: '/user/search',
  summary:
    'Registered users by the beginning of a username, or by an exact confirmed email, for verified callers. At least two characters. Names are initials until a payment between the two has arrived.',
  access: 'session',
  query: z.object({
    query: requiredText(254, 'query_too_short').check(z.minLength(2, withCode('query_too_short'))),
    exact: z.optional(z.enum(['true', 'false'])),
  }),
  reply: z.array(publicUserShape),
  refusals: ['verification_required', 'rate_limited'],
})

export const userProfile = endpoint({
  method: 'GET',
  path: '/user/profile/:id',
  summary: 'A registered user by their number, with the whole verified name, for verified callers.',
  access: 'session',
  params: z.object({ id: userNumberText }),
  reply: publicUserShape,
  refusals: ['not_found', 'verification_required', 'rate_limited'],
})

export const updateProfile = endpoint({
  method: 'PUT',
  path: '/user/update-profile/:id',
  summary:
    'Change name or username; a new email applies once the link mailed to it was followed. A verified name cannot be changed.',
  access: 'session',
  params: z.object({ id: userNumberText }),
  body: profileChange,
  stepUp: 'accepted',
  reply: z.extend(currentUserShape, { pending_email: z.nullable(z.string()) }),
  refusals: ['not_found', 'username_taken', 'name_is_verified', 'rate_limited'],
})

const metadataName = z.string().check(z.regex(/^[\w.-]{1,40}$/, withCode('invalid_metadata_name')))

export const saveMetadata = endpoint({
  method: 'POST',
  path: '/user/:id/metadata',
  summary: 'Store small values with the account, at most 50; null removes one, others are unaffected.',
  access: 'session',
  params: z.object({ id: userNumberText }),
  body: z.object({
    metadata: z.record(metadataName, z.union([text(500), z.number(), z.boolean(), z.null()])),
  }),
  reply: currentUserShape,
  refusals: ['not_found'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  CurrentUser: currentUserShape,
  KycStatus: kycStatusValue,
  PublicUser: publicUserShape,
}
