import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { StepUpRequirement, SensitiveActionKind } from '@tern/contract/security'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type pg from 'pg'
import { transact } from '../../../platform/database/db.ts'
import { Refusal, refuse, refuseField } from '../../../platform/refuse.ts'
import { messagesHere } from '../../../platform/messages.ts'
import { subjectInWords } from '../../../platform/subjects.ts'
import type { Seal } from '../../../platform/seal.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { verifyOwner } from '../users/account-changes.ts'
import type { LoginAttempts } from '../sign-in/login-attempts.ts'
import type { MailRequests } from '../mailed-links/mail-requests.ts'
import type { CeremonyAnswer, CeremonyBegun, PasskeyCeremonies } from '../factors/passkey-ceremonies.ts'
import { isPassword } from '../users/passwords.ts'
import {
  createConfirmationTable,
  type OpenConfirmation,
  type ConfirmationTable,
  type SensitiveAction,
} from './confirmations.ts'
import type { RecoveryCodes } from '../factors/recovery-codes.ts'
import type { Client } from '../sessions/sessions.ts'
import type { Totp } from '../factors/totp.ts'

export type { SensitiveAction } from './confirmations.ts'

/** Step-up confirmations (PSD2 RTS, articles 4 and 5: dynamic linking, five failures, five minutes, once). */
export interface StepUp {
  /**
   * Spends a `confirmation` made by this session within five minutes for exactly this action. With a hidden
   * `idempotencyKey` it may be repeated for a day, so that a repeated request gets the first answer. Otherwise refuses
   * `step_up_required` with a new confirmation.
   */
  require(caller: Caller, act: SensitiveAction, confirmation: string | undefined): Promise<void>
  /** Mails a code. Refuses `step_up_invalid`, also where an app makes the codes, and `rate_limited`. */
  mailStepUpCode(caller: Caller, id: string): Promise<void>
  /**
   * Confirms by password, if any, and code; `method` allows a recovery code instead of an app's. Refuses
   * `step_up_invalid`, `invalid_request` without the password, `invalid_credentials`, `code_invalid`,
   * `too_many_attempts`, `rate_limited`.
   */
  proveByCode(caller: Caller, id: string, confirmation: CodeConfirmation): Promise<void>
  /** Begins confirming by passkey, over a hash of the action. Refuses `step_up_invalid`. */
  stepUpPasskeyOptions(caller: Caller, id: string): Promise<CeremonyBegun>
  /** Refuses `step_up_invalid`, `passkey_invalid`. */
  proveByPasskey(caller: Caller, id: string, answer: CeremonyAnswer): Promise<void>
}

interface CodeConfirmation {
  readonly password?: string | undefined
  readonly code?: string | undefined
  readonly method?: 'recovery_code' | undefined
  readonly client: Client
}

export interface StepUpParts {
  readonly pool: pg.Pool
  readonly seal: Seal
  readonly notifications: Notifications
  readonly attempts: LoginAttempts
  readonly mailRequests: MailRequests
  readonly totp: Totp
  readonly recoveryCodes: RecoveryCodes
  readonly ceremonies: PasskeyCeremonies
  readonly realNow: () => Date
}

const mostMailsPerHour = 10

/** Counts an account's code guesses, wherever tried. */
export const codeGuesses = (userId: bigint): string => `second factor ${userId}`

/**
 * Counts guesses at confirmations, separately from sign-in, where strangers could block them. Password-only
 * confirmations forgive no code guesses.
 */
const guessesAtStepUp = (userId: bigint, kind: StepUpRequirement['code']): string =>
  `proof ${kind === null ? 'password' : 'code'} ${userId}`

const notLookedAt: ReadonlySet<RefusalCode> = new Set(['too_many_attempts', 'rate_limited'])

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
 * The code required besides the password. None for an unconfirmed address: it may be mistyped, and correcting it must
 * be possible.
 */
function codeFor(
  action: SensitiveActionKind,
  { hasTotp, isEmailConfirmed, passwordHash }: Ways,
): StepUpRequirement['code'] {
  if (hasTotp) return 'totp'
  return action === 'change_email' && !isEmailConfirmed && passwordHash !== null ? null : 'email'
}

export function createStepUp(parts: StepUpParts): StepUp {
  const { pool, seal, notifications, mailRequests, realNow } = parts
  const table = createConfirmationTable({ pool, realNow })
  // Bound to the address, so that moving the account voids it.
  const hashOfMailed = (id: string, email: string, code: string) =>
    seal.fingerprint(`proof ${id} ${email.toLowerCase()} ${code}`)

  async function ask(caller: Caller, act: SensitiveAction): Promise<StepUpRequirement> {
    const ways = await readWays(pool, caller.userId)
    const { id, expiresAt } = await table.add(caller, act)
    return {
      id,
      action: act.action,
      subject: shown(act.subject),
      expires_at: expiresAt.toISOString(),
      passkey: ways.hasPasskey,
      password: ways.passwordHash !== null,
      code: codeFor(act.action, ways),
      recovery_code: ways.hasTotp && ways.hasRecoveryCode,
    }
  }

  async function require(caller: Caller, act: SensitiveAction, confirmation: string | undefined): Promise<void> {
    if (confirmation !== undefined && (await table.spend(caller, act, confirmation))) return
    refuse('step_up_required', { extra: { confirmation: await ask(caller, act) } })
  }

  async function mailStepUpCode(caller: Caller, id: string): Promise<void> {
    const { action, subject } = await table.open(caller, id)
    const ways = await readWays(pool, caller.userId)
    if (codeFor(action, ways) !== 'email') refuse('step_up_invalid')
    const { email } = ways
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    await transact(pool, async (tx) => {
      await mailRequests.require(tx, 'step_up_code', String(caller.userId), realNow(), mostMailsPerHour)
      await table.keepCode(tx, caller, { id, code: hashOfMailed(id, email, code) })
      await notifications.mail(tx, { email, userId: caller.userId }, 'step_up_code', { code, action, subject })
    })
  }

  return {
    require,
    mailStepUpCode,
    proveByCode: createProvingByCode(parts, table, hashOfMailed),
    ...byPasskey(parts, table),
  }
}

function createProvingByCode(
  { pool, attempts, totp, recoveryCodes, realNow }: StepUpParts,
  table: ConfirmationTable,
  hashOfMailed: (id: string, email: string, code: string) => Buffer,
): StepUp['proveByCode'] {
  return async (caller, id, given) => {
    const { userId } = caller
    const { action } = await table.open(caller, id)
    const ways = await readWays(pool, userId)
    const password = given.password ?? ''
    const hasPassword = ways.passwordHash !== null
    if (hasPassword && password === '') refuseField('invalid_request', 'password', 'password_required')
    const kind = codeFor(action, ways)
    const typed = (given.code ?? '').replaceAll(/\s/g, '')
    if (kind !== null && typed === '') refuseField('invalid_request', 'code', 'code_required')
    const { mailedCode }: OpenConfirmation = await table.countAttempt(caller, id)
    const isCode = async () => {
      if (!ways.hasTotp) {
        return mailedCode !== null && timingSafeEqual(mailedCode, hashOfMailed(id, ways.email, typed))
      }
      // Otherwise someone who lost the app could never replace it.
      if (given.method === 'recovery_code') return recoveryCodes.spend(typed, { ...caller, client: given.client })
      return totp.spend(pool, userId, typed)
    }
    try {
      await attempts.guard(guessesAtStepUp(userId, kind), async () => {
        if (hasPassword && !(await isPassword(ways.passwordHash, password))) {
          refuseField('invalid_credentials', 'password', 'password_wrong')
        }
        if (kind !== null && !(await isCode())) refuseField('code_invalid', 'code')
        return true
      })
    } catch (error) {
      // What was not checked does not count.
      if (error instanceof Refusal && notLookedAt.has(error.code)) await table.uncountAttempt(id)
      throw error
    }
    // A correct code proves the mailbox.
    if (kind === 'email') await transact(pool, (tx) => verifyOwner(tx, userId, realNow(), ways.email))
    await table.setProved(caller, id)
  }
}

function byPasskey(
  { pool, ceremonies }: StepUpParts,
  table: ConfirmationTable,
): Pick<StepUp, 'stepUpPasskeyOptions' | 'proveByPasskey'> {
  return {
    async stepUpPasskeyOptions(caller, id) {
      const { binding } = await table.open(caller, id)
      const { hasPasskey } = await readWays(pool, caller.userId)
      if (!hasPasskey) refuse('step_up_invalid')
      const challenge = createHash('sha256').update(randomBytes(32)).update(id).update(binding).digest()
      return ceremonies.beginAssertion({ purpose: 'step_up', userId: caller.userId, subject: id }, challenge)
    },
    async proveByPasskey(caller, id, answer) {
      await table.countAttempt(caller, id)
      await ceremonies.finishAssertion({ purpose: 'step_up', userId: caller.userId, subject: id }, answer)
      await table.setProved(caller, id)
    },
  }
}
