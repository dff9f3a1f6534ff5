import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { StepUpRequirement, SensitiveActionKind } from '@tern/contract/security'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type pg from 'pg'
import { transact } from '../../../platform/database/db.ts'
import { Refusal, refuse, refuseField } from '../../../platform/refuse.ts'
import { messagesHere } from '../../../platform/messages.ts'
import { subjectInWords } from '../../../platform/subjects.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { IdentityContext } from '../context.ts'
import { verifyOwner } from '../users/account-changes.ts'
import { requireMail } from '../mailed-links/mail-requests.ts'
import { notMeLink } from '../mailed-links/security-alerts.ts'
import {
  type AssertionOf,
  beginAssertion,
  type CeremonyAnswer,
  type CeremonyBegun,
  finishAssertion,
} from '../factors/passkey-ceremonies.ts'
import { isPassword } from '../users/passwords.ts'
import {
  addConfirmation,
  countAttempt,
  keepCode,
  openConfirmation,
  type SensitiveAction,
  setConfirmed,
  spendConfirmation,
  uncountAttempt,
  usedCodes,
} from './confirmations.ts'
import { acceptCode, type CodeVerdict, plainCode } from '../factors/one-time-code.ts'
import { spendRecoveryCode } from '../factors/recovery-codes.ts'
import type { Client } from '../sessions/sessions.ts'
import { spendTotp } from '../factors/totp.ts'

// Step-up confirmations (PSD2 RTS, articles 4 and 5: dynamic linking, five failures, five minutes, once).

interface CodeConfirmation {
  readonly password?: string | undefined
  readonly code?: string | undefined
  readonly method?: 'recovery_code' | undefined
  readonly client: Client
}

const mostMailsPerHour = 10

/**
 * Counts guesses at confirmations, separately from sign-in, where strangers could block them. Password-only
 * confirmations forgive no code guesses.
 */
const guessesAtStepUp = (userId: bigint, kind: StepUpRequirement['code']): string =>
  `proof ${kind === null ? 'password' : 'code'} ${userId}`

/** Refusals of attempts that were no guess. */
const uncounted: ReadonlySet<RefusalCode> = new Set(['too_many_attempts', 'rate_limited', 'code_used'])

/** What is confirmed as the person reads it. */
const shown = (subject: SensitiveAction['subject']): Record<string, string> =>
  Object.fromEntries(Object.entries(subject).map(([name, text]) => [name, subjectInWords(messagesHere(), text)]))

interface Ways {
  readonly email: string
  /** Null without a password or while it is blocked. */
  readonly passwordHash: string | null
  readonly isEmailConfirmed: boolean
  readonly hasTotp: boolean
  readonly hasRecoveryCode: boolean
  readonly hasPasskey: boolean
}

async function readWays(pool: pg.Pool, userId: bigint): Promise<Ways> {
  const { rows } = await pool.query<Ways>(
    `select email, case when password_blocked_at is null then password_hash end as "passwordHash",
            email_verified_at is not null as "isEmailConfirmed",
            exists (select from totp where user_id = app_user.id and confirmed_at is not null) as "hasTotp",
            exists (select from recovery_code
                     where user_id = app_user.id and used_at is null) as "hasRecoveryCode",
            exists (select from passkey where user_id = app_user.id) as "hasPasskey"
       from app_user where id = $1`,
    [userId],
  )
  return rows[0] ?? refuse('unauthenticated')
}

/**
 * The code required besides the password, never weaker than the strongest factor set up: beside a passkey only a
 * recovery code, for whoever has lost it, and a mailed code only without any factor. None for an unconfirmed address: it
 * may be mistyped, and correcting it must be possible.
 */
function codeFor(action: SensitiveActionKind, ways: Ways): StepUpRequirement['code'] {
  const { hasPasskey, hasTotp, hasRecoveryCode, isEmailConfirmed, passwordHash } = ways
  if (hasPasskey) return hasRecoveryCode ? 'recovery_code' : null
  if (hasTotp) return 'totp'
  return action === 'change_email' && !isEmailConfirmed && passwordHash !== null ? null : 'email'
}

/** Whether the passkey is the only way. */
const isPasskeyOnly = ({ hasPasskey, hasRecoveryCode }: Ways): boolean => hasPasskey && !hasRecoveryCode

/** A mailed code is bound to the address, so that moving the account voids it. */
const mailed = (id: string, email: string, code: string): string => `proof ${id} ${email.toLowerCase()} ${code}`

async function ask(context: IdentityContext, caller: Caller, act: SensitiveAction): Promise<StepUpRequirement> {
  const ways = await readWays(context.pool, caller.userId)
  const { id, expiresAt } = await addConfirmation(context, caller, act)
  return {
    id,
    action: act.action,
    subject: shown(act.subject),
    ...(act.reason && { reason: act.reason }),
    expires_at: expiresAt.toISOString(),
    passkey: ways.hasPasskey,
    password: ways.passwordHash !== null && !isPasskeyOnly(ways),
    code: codeFor(act.action, ways),
    recovery_code: (ways.hasPasskey || ways.hasTotp) && ways.hasRecoveryCode,
  }
}

/**
 * Spends a `confirmation` made by this session within five minutes for exactly this action. With a hidden
 * `idempotencyKey` it may be repeated for a day, so that a repeated request gets the first answer. Gives when it was first
 * spent; otherwise refuses `step_up_required` with a new confirmation.
 */
export async function requireStepUp(
  context: IdentityContext,
  caller: Caller,
  act: SensitiveAction,
  confirmation: string | undefined,
): Promise<Date> {
  const usedAt = confirmation && (await spendConfirmation(context, caller, act, confirmation))
  if (usedAt) return usedAt
  return refuse('step_up_required', { extra: { confirmation: await ask(context, caller, act) } })
}

/** Mails a code. Refuses `step_up_invalid`, also where a factor is set up, and `rate_limited`. */
export async function mailStepUpCode(context: IdentityContext, caller: Caller, id: string): Promise<void> {
  const { userId } = caller
  const { action, subject } = await openConfirmation(context, caller, id)
  const ways = await readWays(context.pool, userId)
  if (codeFor(action, ways) !== 'email') refuse('step_up_invalid')
  const { email } = ways
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  await transact(context.pool, async (tx) => {
    await requireMail(context, tx, { kind: 'step_up_code', email: String(userId), most: mostMailsPerHour })
    await keepCode(context, tx, caller, { id, code: context.seals.confirmation.fingerprint(mailed(id, email, code)) })
    const link = await notMeLink(context, tx, { ...caller, email, at: context.realNow() })
    await context.notifications.mail(tx, {
      to: { email, userId },
      template: 'step_up_code',
      data: { code, action, subject, link },
    })
  })
}

interface MailedAttempt {
  readonly userId: bigint
  readonly id: string
  readonly email: string
  readonly mailedCode: Buffer | null
  readonly typed: string
}

/** The verdict on a code typed for the confirmation `id`. `used`: an earlier confirmation of this user was made with it. */
async function judgeMailed(
  context: IdentityContext,
  { userId, id, email, mailedCode, typed }: MailedAttempt,
): Promise<CodeVerdict> {
  const isCodeOf = (confirmation: string, code: Buffer) =>
    context.seals.confirmation
      .fingerprints(mailed(confirmation, email, typed))
      .some((hash) => timingSafeEqual(code, hash))
  if (mailedCode !== null && isCodeOf(id, mailedCode)) return 'right'
  const earlier = await usedCodes(context, userId)
  return earlier.some((used) => isCodeOf(used.id, used.mailedCode)) ? 'used' : 'wrong'
}

/**
 * Confirms by password, if any, and code; `method` allows a recovery code instead of an app's. Refuses
 * `step_up_invalid`, also where only a passkey confirms, `invalid_request` without the password, `invalid_credentials`, `code_invalid`,
 * `code_used`, `too_many_attempts`, `rate_limited`.
 */
export async function proveByCode(
  context: IdentityContext,
  caller: Caller,
  id: string,
  given: CodeConfirmation,
): Promise<void> {
  const { pool, attempts, realNow } = context
  const { userId } = caller
  const { action } = await openConfirmation(context, caller, id)
  const ways = await readWays(pool, userId)
  if (isPasskeyOnly(ways)) refuse('step_up_invalid')
  const password = given.password ?? ''
  const hasPassword = ways.passwordHash !== null
  if (hasPassword && password === '') refuseField('invalid_request', 'password', 'password_required')
  const kind = codeFor(action, ways)
  const typed = plainCode(given.code ?? '')
  if (kind !== null && typed === '') refuseField('invalid_request', 'code', 'code_required')
  const { mailedCode } = await countAttempt(context, caller, id)
  const isCode = async () => {
    if (kind === 'email')
      return acceptCode(await judgeMailed(context, { userId, id, email: ways.email, mailedCode, typed }), kind)
    // Otherwise an account holder who lost the factor could never replace it.
    if (kind === 'recovery_code' || given.method === 'recovery_code') {
      return acceptCode(await spendRecoveryCode(context, typed, { ...caller, client: given.client }), 'recovery_code')
    }
    return acceptCode(await spendTotp(context, userId, typed), 'totp')
  }
  try {
    await attempts.guard(guessesAtStepUp(userId, kind), async () => {
      if (hasPassword && !(await isPassword(ways.passwordHash, password, `user ${userId}`))) {
        refuseField('invalid_credentials', 'password', 'password_wrong')
      }
      if (kind !== null && !(await isCode())) refuseField('code_invalid', 'code')
      return true
    })
  } catch (error) {
    if (error instanceof Refusal && uncounted.has(error.code)) await uncountAttempt(context, id)
    throw error
  }
  // A correct code proves the mailbox.
  if (kind === 'email') await transact(pool, (tx) => verifyOwner(tx, userId, realNow(), ways.email))
  await setConfirmed(context, caller, id)
}

const assertionOf = ({ userId }: Caller, id: string): AssertionOf => ({ purpose: 'step_up', userId, subject: id })

/** Begins confirming by passkey, over a hash of the action. Refuses `step_up_invalid`. */
export async function stepUpPasskeyOptions(
  context: IdentityContext,
  caller: Caller,
  id: string,
): Promise<CeremonyBegun> {
  const { binding } = await openConfirmation(context, caller, id)
  const { hasPasskey } = await readWays(context.pool, caller.userId)
  if (!hasPasskey) refuse('step_up_invalid')
  const challenge = createHash('sha256').update(randomBytes(32)).update(id).update(binding).digest()
  return beginAssertion(context, assertionOf(caller, id), challenge)
}

/** Refuses `step_up_invalid`, `passkey_invalid`. */
export async function proveByPasskey(
  context: IdentityContext,
  caller: Caller,
  id: string,
  { client, ...answer }: CeremonyAnswer & { client: Client },
): Promise<void> {
  await countAttempt(context, caller, id)
  await finishAssertion(context, assertionOf(caller, id), answer, client)
  await setConfirmed(context, caller, id)
}
