import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { withCode } from './protocol/field-problems.ts'
import { emailAddress } from './protocol/email-address.ts'
import { moment, ownPath, requiredText } from './protocol/wire.ts'
import { newPassword } from './protocol/account-forms.ts'
import { currentUserShape } from './identity.ts'

export const secondFactors = ['passkey', 'totp', 'recovery_code'] as const
export type SecondFactor = (typeof secondFactors)[number]

/**
 * Successful sign-in. `new_user`: the account was just created; `deletion_undone`: the login cancelled its deletion.
 */
export const signedInShape = z.object({
  user: currentUserShape,
  access_token: z.string(),
  new_user: z.optional(z.boolean()),
  deletion_undone: z.optional(z.boolean()),
})
export type SignedInReply = z.output<typeof signedInShape>

/** The first factor was accepted; one of `methods` must follow before `expires_at`, with this `challenge`. */
export const secondFactorShape = z.object({
  second_factor_required: z.literal(true),
  challenge: z.string(),
  methods: z.array(z.enum(secondFactors)),
  expires_at: moment,
})
export type SecondFactorReply = z.output<typeof secondFactorShape>

/** Reply to a sign-in by password, emailed link or Google ID token. */
export const signInReply = z.union([signedInShape, secondFactorShape])
export type SignInReply = z.output<typeof signInReply>

/** Secret from an emailed link or from an earlier step of the login. */
const secret = requiredText(200, 'link_incomplete')

const tokenBody = z.object({ token: secret })
const emailBody = z.object({ email: emailAddress })
const accepted = z.object({ success: z.literal(true) })

/** WebAuthn options and responses (https://www.w3.org/TR/webauthn-3/#sctn-parseCreationOptionsFromJSON). */
export const passkeyJson = z.record(z.string(), z.unknown())
export const ceremonyReply = z.object({ ceremony: z.uuid(), options: passkeyJson })

const linkRefusals = ['link_invalid', 'rate_limited'] as const

export const loginRequest = z.object({
  email: emailAddress,
  password: z
    .string(withCode('password_required'))
    .check(z.minLength(1, withCode('password_required')), z.maxLength(200, withCode('password_too_long'))),
})

export const login = endpoint({
  method: 'POST',
  path: '/user/login',
  summary: 'Log in with email and password. Sets the refresh cookie, unless a second factor is required.',
  access: 'public',
  body: loginRequest,
  reply: signInReply,
  refusals: ['invalid_credentials', 'password_reset_required', 'too_many_attempts', 'rate_limited'],
})

export const signInMethods = endpoint({
  method: 'GET',
  path: '/auth/methods',
  summary: 'The login methods besides email and password.',
  access: 'public',
  reply: z.object({ google: z.boolean(), external: z.boolean() }),
})

export const sendLoginLink = endpoint({
  method: 'POST',
  path: '/user/send-login-link',
  summary:
    'Email a login link that works once, within 15 minutes, in the requesting browser. The response does not reveal whether the address is known.',
  access: 'public',
  body: z.object({ email: emailAddress, from: z.optional(ownPath) }),
  reply: accepted,
  refusals: ['rate_limited'],
})

export const verifyLoginLink = endpoint({
  method: 'POST',
  path: '/user/verify-login-link',
  summary: 'Log in with the token of an emailed link. Another browser is refused, and the link remains valid.',
  access: 'public',
  body: tokenBody,
  reply: signInReply,
  refusals: [...linkRefusals, 'link_of_other_browser'],
})

export const freezeByLink = endpoint({
  method: 'POST',
  path: '/auth/freeze',
  summary: 'Freeze the account of an emailed link, logged in or not. Once, within 30 days.',
  access: 'public',
  body: tokenBody,
  reply: accepted,
  refusals: linkRefusals,
})

export const sendVerificationEmail = endpoint({
  method: 'POST',
  path: '/user/send-verification-email',
  summary: 'Email a link that confirms an address. The response does not reveal whether the address is known.',
  access: 'public',
  body: emailBody,
  reply: accepted,
  refusals: ['rate_limited'],
})

export const verifyEmail = endpoint({
  method: 'POST',
  path: '/user/verify-email',
  summary: 'Confirm an address, or the change to another one, with the token of an emailed link.',
  access: 'public',
  body: tokenBody,
  /** `email_verified`: true if the address is proven; the link proves it only in a browser signed in to its account. */
  reply: z.object({ success: z.literal(true), email_verified: z.boolean() }),
  refusals: [...linkRefusals, 'email_taken'],
})

export const checkEmailToken = endpoint({
  method: 'POST',
  path: '/auth/verify-email',
  summary: 'The same as /user/verify-email, for callers that read `success`: false for an invalid link.',
  access: 'public',
  body: tokenBody,
  reply: z.object({ success: z.boolean(), email_verified: z.optional(z.boolean()) }),
  refusals: ['rate_limited'],
})

export const sendPasswordReset = endpoint({
  method: 'POST',
  path: '/user/send-password-reset',
  summary: 'Email a link for choosing a new password. The response does not reveal whether the address is known.',
  access: 'public',
  body: emailBody,
  reply: accepted,
  refusals: ['rate_limited'],
})

export const resetPassword = endpoint({
  method: 'POST',
  path: '/user/reset-password',
  summary: 'Choose a new password with the token of an emailed link. Ends all sessions; does not log in.',
  access: 'public',
  body: z.object({ token: secret, password: newPassword }),
  reply: accepted,
  refusals: linkRefusals,
})

export const reportUnrecognizedSignIn = endpoint({
  method: 'POST',
  path: '/auth/not-me',
  summary:
    'Report a login that was not yours, from the link in its email. Ends all sessions, blocks the password, and returns a token for choosing a new one.',
  access: 'public',
  body: tokenBody,
  reply: z.object({ reset_token: z.string() }),
  refusals: linkRefusals,
})

export const secondFactorAnswer = z.object({
  challenge: secret,
  method: z.enum(['totp', 'recovery_code']),
  code: requiredText(40, 'code_required'),
})

export const answerSecondFactor = endpoint({
  method: 'POST',
  path: '/auth/second-factor',
  summary: 'Finish logging in with a code of the authenticator app or a recovery code. Each code works once.',
  access: 'public',
  body: secondFactorAnswer,
  reply: signedInShape,
  refusals: ['challenge_invalid', 'code_invalid', 'code_used', 'too_many_attempts', 'rate_limited'],
})

export const secondFactorPasskeyOptions = endpoint({
  method: 'POST',
  path: '/auth/second-factor/passkey/options',
  summary: 'Begin to finish logging in with a passkey.',
  access: 'public',
  body: z.object({ challenge: secret }),
  reply: ceremonyReply,
  refusals: ['challenge_invalid', 'rate_limited'],
})

export const answerSecondFactorByPasskey = endpoint({
  method: 'POST',
  path: '/auth/second-factor/passkey',
  summary: 'Finish logging in with a passkey.',
  access: 'public',
  body: z.object({ challenge: secret, ceremony: z.uuid(), response: passkeyJson }),
  reply: signedInShape,
  refusals: ['challenge_invalid', 'passkey_invalid', 'rate_limited'],
})

export const passkeySignInOptions = endpoint({
  method: 'POST',
  path: '/auth/passkey/options',
  summary: 'Begin to log in with a passkey of this site.',
  access: 'public',
  reply: ceremonyReply,
  refusals: ['rate_limited'],
})

export const logInByPasskey = endpoint({
  method: 'POST',
  path: '/auth/passkey',
  summary: 'Log in with a passkey, which counts as two factors, so no further one is required.',
  access: 'public',
  body: z.object({ ceremony: z.uuid(), response: passkeyJson }),
  reply: signedInShape,
  refusals: ['passkey_invalid', 'rate_limited'],
})

const provider = z.enum(['google', 'external'])

export const startExternalSignIn = endpoint({
  method: 'POST',
  path: '/auth/external/start',
  summary: 'Begin to log in at an identity provider: returns the address to open in the popup or the page.',
  access: 'public',
  body: z.object({
    provider,
    mode: z.enum(['popup', 'redirect']),
    screen_hint: z.optional(z.enum(['login', 'signup'])),
    login_hint: z.optional(emailAddress),
    from: z.optional(ownPath),
  }),
  reply: z.object({ url: z.string() }),
  refusals: ['not_found', 'sign_in_provider_unavailable', 'rate_limited'],
})

export const finishExternalSignIn = endpoint({
  method: 'POST',
  path: '/auth/external/finish',
  summary:
    'Finish logging in with the query returned by the identity provider. The refusal `account_exists` contains `link` if the provider verified the email: after logging in to that account, /auth/external/link connects the two.',
  access: 'public',
  body: z.object({ query: requiredText(8000, 'provider_answer_missing') }),
  reply: z.union([
    z.extend(signedInShape, { mode: z.enum(['popup', 'redirect']), from: z.optional(z.string()) }),
    z.extend(secondFactorShape, { mode: z.enum(['popup', 'redirect']), from: z.optional(z.string()) }),
  ]),
  refusals: ['external_sign_in_refused', 'account_exists', 'sign_in_provider_unavailable', 'rate_limited'],
})

export const googleLogin = endpoint({
  method: 'POST',
  path: '/user/google-login',
  summary: 'Log in with an ID token that Google issued for this installation; each token works once.',
  access: 'public',
  body: z.object({ token: requiredText(8000, 'token_missing') }),
  reply: signInReply,
  refusals: ['not_found', 'external_sign_in_refused', 'account_exists', 'sign_in_provider_unavailable', 'rate_limited'],
})

export const linkExternalSignIn = endpoint({
  method: 'POST',
  path: '/auth/external/link',
  summary: 'Connect an identity at a provider to the account that has just logged in.',
  access: 'session',
  body: z.object({ link: secret }),
  reply: accepted,
  refusals: ['link_invalid', 'fresh_sign_in_required'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Ceremony: ceremonyReply,
  SecondFactorRequired: secondFactorShape,
  SignInReply: signInReply,
  SignedIn: signedInShape,
}
