import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { emailAddress, moment, requiredText, text, userNumber, userNumberText } from './wire.ts'

/** The signed-in user, as only they see it. */
export const currentUserShape = z.object({
  id: userNumber,
  email: z.string(),
  username: z.string(),
  name: z.nullable(z.string()),
  profile: z.object({ first_name: z.nullable(z.string()) }),
  email_verified: z.boolean(),
  kyc_status: z.enum(['not_started', 'pending', 'in_review', 'needs_information', 'verified', 'rejected']),
  created_at: moment,
})
export type CurrentUser = z.output<typeof currentUserShape>

/**
 * Somebody else, as any signed-in user may see them. The name is the one their identity was verified under, or null; the
 * email is there only when the searcher typed it whole.
 */
export const publicUserShape = z.object({
  id: userNumber,
  username: z.string(),
  name: z.nullable(z.string()),
  email: z.optional(z.string()),
  base_currency: z.string(),
})
export type PublicUser = z.output<typeof publicUserShape>

const username = z.pipe(
  requiredText(30, 'Username is required'),
  z.string().check(
    z.toLowerCase(),
    z.regex(/^[a-z0-9][a-z0-9._-]{2,29}$/, {
      error: 'Use 3 to 30 letters, digits, dots, dashes or underscores, starting with a letter or digit',
    }),
  ),
)

const newPassword = z
  .string({ error: 'Password is required' })
  .check(
    z.minLength(10, { error: 'Use at least 10 characters' }),
    z.maxLength(200, { error: 'Use at most 200 characters' }),
  )

export const registration = z.object({
  email: emailAddress,
  password: newPassword,
  username,
  name: z.optional(text(100)),
})

export const credentials = z.object({
  email: emailAddress,
  password: z
    .string({ error: 'Password is required' })
    .check(
      z.minLength(1, { error: 'Password is required' }),
      z.maxLength(200, { error: 'Use at most 200 characters' }),
    ),
})

const signedIn = z.object({ user: currentUserShape, access_token: z.string() })

export const register = endpoint({
  method: 'POST',
  path: '/user/register',
  summary: 'Open an account with email and password. Sets the refresh cookie.',
  access: 'public',
  body: registration,
  status: 201,
  reply: z.object({ ...currentUserShape.shape, user: currentUserShape, access_token: z.string() }),
  refusals: ['invalid_request', 'email_taken', 'username_taken', 'rate_limited', 'cross_site_request'],
})

export const login = endpoint({
  method: 'POST',
  path: '/user/login',
  summary: 'Log in with email and password. Sets the refresh cookie.',
  access: 'public',
  body: credentials,
  reply: signedIn,
  refusals: ['invalid_request', 'invalid_credentials', 'too_many_attempts', 'rate_limited', 'cross_site_request'],
})

export const refreshToken = endpoint({
  method: 'POST',
  path: '/auth/token',
  summary: 'Exchange the refresh cookie for a new access token; the cookie is rotated.',
  access: 'public',
  reply: z.object({ access_token: z.string() }),
  refusals: ['unauthenticated', 'request_in_progress', 'cross_site_request'],
})

export const logout = endpoint({
  method: 'POST',
  path: '/user/logout',
  summary: 'End this session at once. Answers the same when there is none.',
  access: 'public',
  status: 204,
  reply: z.undefined(),
  refusals: ['cross_site_request'],
})

export const currentUser = endpoint({
  method: 'GET',
  path: '/user/user',
  summary: 'The signed-in user.',
  access: 'session',
  reply: currentUserShape,
  refusals: ['unauthenticated'],
})

export const searchUsers = endpoint({
  method: 'GET',
  path: '/user/search',
  summary:
    'Registered users by the beginning of a username or verified name, or by an exact email. Two characters or more.',
  access: 'session',
  query: z.object({
    query: requiredText(254, 'Type at least 2 characters').check(
      z.minLength(2, { error: 'Type at least 2 characters' }),
    ),
    exact: z.optional(z.enum(['true', 'false'])),
  }),
  reply: z.array(publicUserShape),
  refusals: ['unauthenticated', 'invalid_request', 'rate_limited'],
})

export const userProfile = endpoint({
  method: 'GET',
  path: '/user/profile/:id',
  summary: 'A registered user by their number.',
  access: 'session',
  params: z.object({ id: userNumberText }),
  reply: publicUserShape,
  refusals: ['unauthenticated', 'invalid_request', 'not_found', 'rate_limited'],
})
