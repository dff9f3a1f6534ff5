import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'
import { withCode } from './protocol/field-problems.ts'
import { newPassword } from './protocol/account-forms.ts'
import { ceremonyReply, passkeyJson } from './sign-in.ts'
import { moment, noContent, requiredText, text } from './protocol/wire.ts'

const successShape = z.object({ success: z.literal(true) })
const idParams = z.object({ id: z.uuid() })

/** Actions that can require a step-up confirmation. */
export const sensitiveActionKinds = [
  'send_money',
  'schedule_send',
  'withdraw_money',
  'add_money',
  'link_bank_account',
  'change_email',
  'change_username',
  'change_password',
  'change_factors',
  'end_sessions',
  'raise_limit',
  'unfreeze_account',
  'weaken_street_mode',
  'confirm_held',
  'export_data',
  'open_document',
  'delete_account',
] as const
export type SensitiveActionKind = (typeof sensitiveActionKinds)[number]

/**
 * Reason for requiring confirmation of a payment. `amount`, `payments`: value or number of payments since the last
 * confirmation. `new_payees`: number of new payees paid today. For established payees: `day_amount`, more than usual
 * today; `new_device`; `new_factor`, a recent change of the sender's login methods.
 */
export const stepUpReasons = ['amount', 'payments', 'new_payees', 'day_amount', 'new_device', 'new_factor'] as const
export type StepUpReason = (typeof stepUpReasons)[number]

/**
 * Member `confirmation` of the refusal `step_up_required`. After confirming it, repeat the call with the header
 * `Step-Up: <id>`. `subject` describes the action that it confirms, in words and amounts for the user.
 */
export const stepUpRequirement = z.object({
  id: z.uuid(),
  action: z.enum(sensitiveActionKinds),
  subject: z.record(z.string(), z.string()),
  /** Rule that required it; absent for actions that always need confirmation. */
  reason: z.optional(z.enum(stepUpReasons)),
  expires_at: moment,
  passkey: z.boolean(),
  /**
   * Alternative to the passkey: the password, if any, and a code of this kind. `code` is null if the password suffices
   * or, without a password, if there is no alternative. No alternative is weaker than the strongest factor: with a
   * passkey only a recovery code is accepted, with an authenticator app never an emailed code.
   */
  password: z.boolean(),
  code: z.nullable(z.enum(['totp', 'email', 'recovery_code'])),
  /** True if a recovery code is accepted in place of the authenticator app's code or the passkey. */
  recovery_code: z.boolean(),
})
export type StepUpRequirement = z.output<typeof stepUpRequirement>

export const passkeyShape = z.object({
  id: z.uuid(),
  name: z.string(),
  /** True if a password manager syncs it, false if it is bound to one device. */
  synced: z.boolean(),
  created_at: moment,
  last_used_at: z.nullable(moment),
})
export type Passkey = z.output<typeof passkeyShape>

export const securityOverview = endpoint({
  method: 'GET',
  path: '/auth/security',
  summary: 'Protection of the caller’s account.',
  access: 'session',
  reply: z.object({
    has_password: z.boolean(),
    totp: z.boolean(),
    recovery_codes_left: z.int(),
    passkeys: z.array(passkeyShape),
    external: z.array(
      z.object({ provider: z.enum(['google', 'external']), email: z.nullable(z.string()), linked_at: moment }),
    ),
    /** New address until its emailed link is followed. */
    pending_email: z.nullable(z.string()),
  }),
})

export const sessionShape = z.object({
  id: z.uuid(),
  current: z.boolean(),
  /** For example 'Chrome on Linux'. */
  device: z.string(),
  /** ISO 3166-1 alpha-2; null if the IP address does not reveal it. */
  country: z.nullable(z.string()),
  /** Prefix of the IP address, such as '192.0.2.0/24', in place of the full address; may be empty. */
  network: z.string(),
  created_at: moment,
  last_used_at: moment,
})
export type DeviceSession = z.output<typeof sessionShape>

export const listSessions = endpoint({
  method: 'GET',
  path: '/auth/sessions',
  summary: "The caller's sessions: the current one, then the most recently used first.",
  access: 'session',
  reply: z.array(sessionShape),
})

export const endSession = endpoint({
  method: 'DELETE',
  path: '/auth/sessions/:id',
  summary: 'Log out one device at once. Any device but the current one needs a step-up confirmation.',
  access: 'session',
  params: idParams,
  stepUp: 'accepted',
  ...noContent,
  refusals: ['not_found', 'rate_limited'],
})

export const endOtherSessions = endpoint({
  method: 'DELETE',
  path: '/auth/sessions',
  summary: 'Log out every device except the current one, at once.',
  access: 'session',
  stepUp: 'accepted',
  ...noContent,
  refusals: ['rate_limited'],
})

export const freezeAccount = endpoint({
  method: 'POST',
  path: '/user/freeze',
  summary: 'Freeze the account at once: no money leaves it or is pulled into it until its owner unfreezes it.',
  access: 'session',
  ...noContent,
})

export const unfreezeAccount = endpoint({
  method: 'POST',
  path: '/user/unfreeze',
  summary: 'Unfreeze the account.',
  access: 'session',
  stepUp: 'accepted',
  ...noContent,
  refusals: ['rate_limited'],
})

export const changePassword = endpoint({
  method: 'PUT',
  path: '/user/password',
  summary: 'Change the password, or set a first one. Ends all other sessions.',
  access: 'session',
  body: z.object({ password: newPassword }),
  stepUp: 'accepted',
  reply: successShape,
  refusals: ['rate_limited'],
})

export const startTotp = endpoint({
  method: 'POST',
  path: '/user/totp',
  summary: 'Begin to set up an authenticator app (RFC 6238): the secret as text and as otpauth address for a QR code.',
  access: 'session',
  stepUp: 'accepted',
  reply: z.object({ secret: z.string(), uri: z.string() }),
  refusals: ['rate_limited'],
})

const recoveryCodes = z.object({
  /** Shown only once. Null if earlier codes stay valid. */
  recovery_codes: z.nullable(z.array(z.string())),
})

export const totpCode = z.object({ code: requiredText(40, 'code_required') })

export const confirmTotp = endpoint({
  method: 'POST',
  path: '/user/totp/confirm',
  summary:
    'Finish setting up the authenticator app with one of its codes. Returns recovery codes with the first factor.',
  access: 'session',
  body: totpCode,
  reply: recoveryCodes,
  refusals: ['code_invalid', 'challenge_invalid', 'too_many_attempts'],
})

export const removeTotp = endpoint({
  method: 'DELETE',
  path: '/user/totp',
  summary: 'Remove the authenticator app.',
  access: 'session',
  stepUp: 'accepted',
  ...noContent,
  refusals: ['not_found', 'rate_limited'],
})

export const renewRecoveryCodes = endpoint({
  method: 'POST',
  path: '/user/recovery-codes',
  summary: 'Issue ten new recovery codes; the old ones become invalid.',
  access: 'session',
  stepUp: 'accepted',
  reply: z.object({ recovery_codes: z.array(z.string()) }),
  refusals: ['not_found', 'rate_limited'],
})

export const passkeyRegistrationOptions = endpoint({
  method: 'POST',
  path: '/user/passkeys/options',
  summary: 'Begin to add a passkey.',
  access: 'session',
  stepUp: 'accepted',
  reply: ceremonyReply,
  refusals: ['rate_limited'],
})

export const addPasskey = endpoint({
  method: 'POST',
  path: '/user/passkeys',
  summary: 'Add a passkey. Returns recovery codes with the first factor.',
  access: 'session',
  body: z.object({ ceremony: z.uuid(), name: z.optional(text(60)), response: passkeyJson }),
  status: 201,
  reply: z.extend(recoveryCodes, { passkey: passkeyShape }),
  refusals: ['passkey_invalid'],
})

export const passkeyName = z.object({ name: requiredText(60, 'name_required') })

export const renamePasskey = endpoint({
  method: 'PUT',
  path: '/user/passkeys/:id',
  summary: 'Rename a passkey.',
  access: 'session',
  params: idParams,
  body: passkeyName,
  reply: passkeyShape,
  refusals: ['not_found'],
})

export const removePasskey = endpoint({
  method: 'DELETE',
  path: '/user/passkeys/:id',
  summary: 'Remove a passkey.',
  access: 'session',
  params: idParams,
  stepUp: 'accepted',
  ...noContent,
  refusals: ['not_found', 'rate_limited'],
})

export const unlinkExternalSignIn = endpoint({
  method: 'DELETE',
  path: '/auth/external/:provider',
  summary: 'Disconnect an identity provider. Email links and the password remain valid ways to log in.',
  access: 'session',
  params: z.object({ provider: z.enum(['google', 'external']) }),
  stepUp: 'accepted',
  ...noContent,
  refusals: ['not_found', 'rate_limited'],
})

export const stepUpPasskeyOptions = endpoint({
  method: 'POST',
  path: '/auth/step-up/:id/passkey/options',
  summary: 'Begin to confirm by passkey: the challenge is a hash of what is being confirmed.',
  access: 'session',
  params: idParams,
  reply: ceremonyReply,
  refusals: ['step_up_invalid', 'rate_limited'],
})

export const proveByPasskey = endpoint({
  method: 'POST',
  path: '/auth/step-up/:id/passkey',
  summary: 'Confirm by passkey.',
  access: 'session',
  params: idParams,
  body: z.object({ ceremony: z.uuid(), response: passkeyJson }),
  reply: successShape,
  refusals: ['step_up_invalid', 'passkey_invalid', 'rate_limited'],
})

export const mailStepUpCode = endpoint({
  method: 'POST',
  path: '/auth/step-up/:id/code',
  summary: 'Email a confirmation code if no authenticator app is set up. The email states what is confirmed.',
  access: 'session',
  params: idParams,
  reply: successShape,
  refusals: ['step_up_invalid', 'rate_limited'],
})

export const stepUpAnswer = z.object({
  password: z.optional(z.string().check(z.maxLength(200, withCode('password_too_long')))),
  code: z.optional(text(40)),
  method: z.optional(z.literal('recovery_code')),
})

export const proveByCode = endpoint({
  method: 'POST',
  path: '/auth/step-up/:id',
  summary:
    "Confirm by password and code; at most five wrong attempts. With the method recovery_code, a recovery code replaces the app's code.",
  access: 'session',
  params: idParams,
  body: stepUpAnswer,
  reply: successShape,
  refusals: [
    'step_up_invalid',
    'code_invalid',
    'code_used',
    'invalid_credentials',
    'too_many_attempts',
    'rate_limited',
  ],
})

export const reportUnrecognizedStepUp = endpoint({
  method: 'POST',
  path: '/auth/step-up/:id/not-me',
  summary:
    'Report a confirmation that the caller did not request: it becomes invalid, every device is logged out, including this one, and an email explains how to choose a new password.',
  access: 'session',
  params: idParams,
  ...noContent,
  refusals: ['step_up_invalid', 'rate_limited'],
})

export const reportUnrecognizedSession = endpoint({
  method: 'POST',
  path: '/auth/sessions/:id/not-me',
  summary:
    'Report a login that was not the caller’s: every device is logged out, including this one, the account is frozen, and an email explains how to choose a new password.',
  access: 'session',
  params: idParams,
  ...noContent,
  refusals: ['not_found', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  DeviceSession: sessionShape,
  Passkey: passkeyShape,
  StepUpRequirement: stepUpRequirement,
}
