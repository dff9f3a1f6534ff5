import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { StepUpRequirement, SensitiveActionKind } from '@tern/contract/security'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type pg from 'pg'
import { type Db, transact } from '../../../platform/database/db.ts'
import type { CeremonyAnswer, StartedCeremony } from '../../../platform/keys/webauthn.ts'
import { Refusal, refuse, refuseField } from '../../../platform/refuse.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { subjectInWords } from '../../../platform/subjects.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { IdentityContext } from '../context.ts'
import { proveEmail } from '../users/account-changes.ts'
import { requireMail } from '../mailed-links/mail-requests.ts'
import { issueReportLink } from '../mailed-links/security-alerts.ts'
import { type AssertionScope, beginAssertion, finishAssertion } from '../factors/passkey-ceremonies.ts'
import { guardAttempts } from '../sign-in/login-attempts.ts'
import { isPassword } from '../users/passwords.ts'
import {
  addConfirmation,
  countAttempt,
  storeCode,
  requireOpenConfirmation,
  type SensitiveAction,
  setConfirmed,
  consumeConfirmation,
  revertAttempt,
  readUsedCodes,
} from './confirmations.ts'
import { acceptCode, type CodeVerdict, plainCode } from '../factors/one-time-code.ts'
import { consumeRecoveryCode } from '../factors/recovery-codes.ts'
import type { Client } from '../sessions/sessions.ts'
import { consumeTotp } from '../factors/totp.ts'

// Step-up confirmations: each for one action, five minutes and at most five failures (PSD2 RTS, articles 4 and 5).

interface CodeConfirmation {
  readonly password?: string | undefined
  readonly code?: string | undefined
  readonly method?: 'recovery_code' | undefined
  readonly client: Client
}

const maxMailsPerHour = 10

/**
 * Key under which guesses at confirmations are counted. Separate from sign-in, where strangers could block the user.
 * Password-only confirmations have their own key, so that a right password does not clear the count of wrong codes.
 */
const stepUpAttemptsKey = (userId: bigint, kind: StepUpRequirement['code']): string =>
  `proof ${kind === null ? 'password' : 'code'} ${userId}`

/** Refusals that do not count as guesses. */
const exemptRefusals: ReadonlySet<RefusalCode> = new Set(['too_many_attempts', 'rate_limited', 'code_used'])

/** Texts of the confirmed facts in the caller's language. */
const describeSubject = (subject: SensitiveAction['subject']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(subject).map(([name, text]) => [name, subjectInWords(currentRequestMessages(), text)]),
  )

/** Sensitive action of a caller, with the id of its confirmation. */
export interface StepUp {
  readonly caller: Caller
  readonly act: SensitiveAction
  readonly confirmation: string | undefined
}

interface StepUpMethods {
  readonly email: string
  /** Null if the account has no password or it is blocked. */
  readonly passwordHash: string | null
  readonly isEmailConfirmed: boolean
  readonly hasTotp: boolean
  readonly hasRecoveryCode: boolean
  readonly hasPasskey: boolean
}

async function readMethods(db: Db, userId: bigint): Promise<StepUpMethods> {
  const { rows } = await db.query<StepUpMethods>(
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
 * Returns the code required besides the password, never weaker than the strongest factor. With a passkey only a
 * recovery code is accepted, for users who lost it; a mailed code only without any factor. Null if only the passkey can
 * confirm, and for correcting an unconfirmed address, which may be mistyped.
 */
function chooseCodeKind(action: SensitiveActionKind, methods: StepUpMethods): StepUpRequirement['code'] {
  const { hasPasskey, hasTotp, hasRecoveryCode, isEmailConfirmed, passwordHash } = methods
  if (hasPasskey) return hasRecoveryCode ? 'recovery_code' : null
  if (hasTotp) return 'totp'
  return action === 'change_email' && !isEmailConfirmed && passwordHash !== null ? null : 'email'
}

const isPasskeyOnly = ({ hasPasskey, hasRecoveryCode }: StepUpMethods): boolean => hasPasskey && !hasRecoveryCode

/** Text whose keyed hash is stored. Includes the address, so that a change of address voids the code. */
const mailedCodeText = (id: string, email: string, code: string): string => `proof ${id} ${email.toLowerCase()} ${code}`

async function createRequirement(
  ctx: IdentityContext,
  db: Db,
  { caller, act }: { caller: Caller; act: SensitiveAction },
): Promise<StepUpRequirement> {
  const methods = await readMethods(db, caller.userId)
  const { id, expiresAt } = await addConfirmation(ctx, db, { caller, act })
  return {
    id,
    action: act.action,
    subject: describeSubject(act.subject),
    ...(act.reason && { reason: act.reason }),
    expires_at: expiresAt.toISOString(),
    passkey: methods.hasPasskey,
    password: methods.passwordHash !== null && !isPasskeyOnly(methods),
    code: chooseCodeKind(act.action, methods),
    recovery_code: (methods.hasPasskey || methods.hasTotp) && methods.hasRecoveryCode,
  }
}

/**
 * Uses up a `confirmation` of exactly this action, requested by this session within the last five minutes. With a
 * hidden `idempotencyKey` it can be used again for a day, for repeated requests. Returns the time of its first use.
 * Refuses `step_up_required` with a new confirmation.
 */
export async function requireStepUp(
  ctx: IdentityContext,
  db: Db,
  { caller, act, confirmation }: StepUp,
): Promise<Date> {
  const usedAt = confirmation && (await consumeConfirmation(ctx, db, { caller, act, id: confirmation }))
  if (usedAt) return usedAt
  return refuse('step_up_required', { extra: { confirmation: await createRequirement(ctx, db, { caller, act }) } })
}

/** Mails a code. Refuses `rate_limited`, and `step_up_invalid` unless a mailed code is accepted. */
export async function mailStepUpCode(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, id }: { caller: Caller; id: string },
): Promise<void> {
  const { userId } = caller
  const { action, subject } = await requireOpenConfirmation(ctx, pool, { caller, id })
  const methods = await readMethods(pool, userId)
  if (chooseCodeKind(action, methods) !== 'email') refuse('step_up_invalid')
  const { email } = methods
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  await transact(pool, async (tx) => {
    await requireMail(ctx, tx, { kind: 'step_up_code', email: String(userId), max: maxMailsPerHour })
    await storeCode(ctx, tx, { caller, id, code: ctx.seals.confirmation.fingerprint(mailedCodeText(id, email, code)) })
    const link = await issueReportLink(ctx, tx, { ...caller, email, at: ctx.realNow() })
    await ctx.notifications.mail(tx, {
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
  readonly enteredCode: string
}

/** Checks a typed code for the confirmation `id`. `used`: it confirmed an earlier action of this user. */
async function checkMailedCode(
  ctx: IdentityContext,
  db: Db,
  { userId, id, email, mailedCode, enteredCode }: MailedAttempt,
): Promise<CodeVerdict> {
  const isMailedCode = (confirmation: string, code: Buffer) =>
    ctx.seals.confirmation
      .fingerprints(mailedCodeText(confirmation, email, enteredCode))
      .some((hash) => timingSafeEqual(code, hash))
  if (mailedCode !== null && isMailedCode(id, mailedCode)) return 'right'
  const usedMailedCodes = await readUsedCodes(db, userId)
  return usedMailedCodes.some((usedCode) => isMailedCode(usedCode.id, usedCode.mailedCode)) ? 'used' : 'wrong'
}

/**
 * Confirms by password, if the user has one, and code. `method` chooses a recovery code instead of an app's code.
 * Refuses `step_up_invalid`, also if only a passkey can confirm; `invalid_request` without a required password or
 * code; `invalid_credentials`, `code_invalid`, `code_used`, `too_many_attempts`, `rate_limited`.
 */
export async function proveByCode(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, id, ...proof }: CodeConfirmation & { caller: Caller; id: string },
): Promise<void> {
  const { userId } = caller
  const { action } = await requireOpenConfirmation(ctx, pool, { caller, id })
  const methods = await readMethods(pool, userId)
  if (isPasskeyOnly(methods)) refuse('step_up_invalid')
  const password = proof.password ?? ''
  const hasPassword = methods.passwordHash !== null
  if (hasPassword && password === '') refuseField('invalid_request', 'password', 'password_required')
  const kind = chooseCodeKind(action, methods)
  const enteredCode = plainCode(proof.code ?? '')
  if (kind !== null && enteredCode === '') refuseField('invalid_request', 'code', 'code_required')
  const { mailedCode } = await countAttempt(ctx, pool, { caller, id })
  const isCode = async () => {
    if (kind === 'email')
      return acceptCode(
        await checkMailedCode(ctx, pool, { userId, id, email: methods.email, mailedCode, enteredCode }),
        kind,
      )
    // A recovery code is accepted so that users who lost the app can replace it.
    if (kind === 'recovery_code' || proof.method === 'recovery_code') {
      return acceptCode(
        await consumeRecoveryCode(ctx, pool, { ...caller, code: enteredCode, client: proof.client }),
        'recovery_code',
      )
    }
    return acceptCode(await consumeTotp(ctx, pool, { userId, code: enteredCode }), 'totp')
  }
  try {
    await guardAttempts(ctx, pool, { account: stepUpAttemptsKey(userId, kind) }, async () => {
      if (hasPassword && !(await isPassword(methods.passwordHash, password, `user ${userId}`))) {
        refuseField('invalid_credentials', 'password', 'password_wrong')
      }
      if (kind !== null && !(await isCode())) refuseField('code_invalid', 'code')
      return true
    })
  } catch (error) {
    if (error instanceof Refusal && exemptRefusals.has(error.code)) await revertAttempt(pool, id)
    throw error
  }
  // A correct mailed code proves the mailbox.
  if (kind === 'email')
    await transact(pool, (tx) => proveEmail(tx, { userId, at: ctx.realNow(), email: methods.email }))
  await setConfirmed(ctx, pool, { caller, id })
}

const buildAssertionScope = ({ userId }: Caller, id: string): AssertionScope => ({
  purpose: 'step_up',
  userId,
  subject: id,
})

/** Begins confirming by passkey, with a challenge derived from the action's hash. Refuses `step_up_invalid`. */
export async function stepUpPasskeyOptions(
  ctx: IdentityContext,
  db: Db,
  { caller, id }: { caller: Caller; id: string },
): Promise<StartedCeremony> {
  const { binding } = await requireOpenConfirmation(ctx, db, { caller, id })
  const { hasPasskey } = await readMethods(db, caller.userId)
  if (!hasPasskey) refuse('step_up_invalid')
  const challenge = createHash('sha256').update(randomBytes(32)).update(id).update(binding).digest()
  return beginAssertion(ctx, db, { scope: buildAssertionScope(caller, id), challenge })
}

/** Confirms by passkey. Refuses `step_up_invalid`, `passkey_invalid`. */
export async function proveByPasskey(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, id, client, ...answer }: CeremonyAnswer & { caller: Caller; id: string; client: Client },
): Promise<void> {
  await countAttempt(ctx, pool, { caller, id })
  await finishAssertion(ctx, pool, { ...answer, scope: buildAssertionScope(caller, id), client })
  await setConfirmed(ctx, pool, { caller, id })
}
