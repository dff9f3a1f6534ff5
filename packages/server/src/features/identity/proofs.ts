import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { ProofDemand, ProvenAction } from '@tern/contract/security'
import type pg from 'pg'
import { transact } from '../../db.ts'
import { newId } from '../../ids.ts'
import { Refusal, refuse, refuseField } from '../../refuse.ts'
import type { Seal } from '../../seal.ts'
import type { Caller } from '../../serve.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { LoginAttempts } from './login-attempts.ts'
import type { CeremonyAnswer, CeremonyBegun, PasskeyCeremonies } from './passkey-ceremonies.ts'
import { isPassword } from './passwords.ts'
import type { Totp } from './totp.ts'

/** One sensitive act, as its proof is bound to it. */
export interface ProvenAct {
  readonly action: ProvenAction
  /** What the person is shown and confirms, in words and amounts. */
  readonly subject: Readonly<Record<string, string>>
  /** What is bound too but says nothing to a person, such as an idempotency key. */
  readonly hidden?: Readonly<Record<string, string>>
}

/** Fresh proofs for sensitive acts (PSD2 RTS, articles 4 and 5: dynamic linking, five failures, five minutes, once). */
export interface Proofs {
  /**
   * Passes when `proof` was proved within five minutes by this session for exactly this act; spends it. An act whose
   * hidden part names an `idempotencyKey` may bring the same proof again for a day, so that a repeated request is
   * answered like the first. Otherwise refuses `proof_required` with a new proof to confirm.
   */
  demand(caller: Caller, act: ProvenAct, proof: string | undefined): Promise<void>
  /** Mails a code that confirms. Refuses `proof_invalid`, also where an app makes the codes, and `rate_limited`. */
  mailProofCode(caller: Caller, id: string): Promise<void>
  /**
   * Confirms by the password, where there is one, and a code. Refuses `proof_invalid`, `invalid_request` without the
   * password, `invalid_credentials`, `code_invalid`, `too_many_attempts`.
   */
  proveByCode(caller: Caller, id: string, proof: { password?: string | undefined; code: string }): Promise<void>
  /** Begins to confirm by passkey, over a hash of what is confirmed. Refuses `proof_invalid`. */
  proofPasskeyOptions(caller: Caller, id: string): Promise<CeremonyBegun>
  /** Refuses `proof_invalid`, `passkey_invalid`. */
  proveByPasskey(caller: Caller, id: string, answer: CeremonyAnswer): Promise<void>
}

export interface ProofParts {
  readonly pool: pg.Pool
  readonly seal: Seal
  readonly notifications: Notifications
  readonly attempts: LoginAttempts
  readonly totp: Totp
  readonly ceremonies: PasskeyCeremonies
  readonly realNow: () => Date
}

const minutes = 5
const mostFailures = 5
const mostMails = 3
const repeatHours = 24
const keptDays = 2

const actionWords: Readonly<Record<ProvenAction, string>> = {
  send_money: 'Send money',
  link_bank_account: 'Connect a bank account',
  change_email: 'Change your email address',
  change_password: 'Change your password',
  change_factors: 'Change how you log in',
}

/** Under which name guesses at an account's codes are counted, whichever door or proof they are tried at. */
export const codeGuesses = (userId: bigint): string => `second factor ${userId}`

const sorted = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))

const sha256 = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const bindingOf = ({ action, subject, hidden = {} }: ProvenAct, userId: bigint): Buffer =>
  sha256(JSON.stringify([action, sorted(subject), sorted(hidden), String(userId)]))

const lineOf = ([name, text]: readonly [string, string]): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}: ${text}`

interface Row {
  action: ProvenAction
  binding: Buffer
  subject: [string, string][]
  mailed_code: Buffer | null
}

/** Neither expired, nor proved, nor failed too often; `$1` is its id, `$2` and `$3` the caller, `$4` now. */
const isOpen = `id = $1 and user_id = $2 and session_id = $3 and expires_at > $4 and proved_at is null
  and used_at is null and failures < ${mostFailures}`

export function createProofs(parts: ProofParts): Proofs {
  const { pool, seal, notifications, attempts, totp, ceremonies, realNow } = parts
  const keysOf = (caller: Caller, id: string) => [id, caller.userId, caller.sessionId, realNow()]
  const mailedHash = (id: string, code: string) => seal.fingerprint(`proof ${id} ${code}`)

  async function waysOf(userId: bigint) {
    const { rows } = await pool.query<{
      email: string
      password_hash: string | null
      has_totp: boolean
      has_passkey: boolean
    }>(
      `select email, case when password_blocked_at is null then password_hash end as password_hash,
              exists (select from totp where user_id = id and confirmed_at is not null) as has_totp,
              exists (select from passkey where passkey.user_id = app_user.id) as has_passkey
         from app_user where id = $1`,
      [userId],
    )
    return rows[0] ?? refuse('unauthenticated')
  }

  async function openProof(caller: Caller, id: string): Promise<Row> {
    const { rows } = await pool.query<Row>(
      `select action, binding, subject, mailed_code from proof where ${isOpen}`,
      keysOf(caller, id),
    )
    return rows[0] ?? refuse('proof_invalid')
  }

  /** Counts the attempt before it is made: of any number of parallel guesses no more than five are looked at. */
  async function countAttempt(caller: Caller, id: string): Promise<Row> {
    const { rows } = await pool.query<Row>(
      `update proof set failures = failures + 1 where ${isOpen} returning action, binding, subject, mailed_code`,
      keysOf(caller, id),
    )
    return rows[0] ?? refuse('proof_invalid')
  }

  const uncountAttempt = (id: string) =>
    pool.query('update proof set failures = failures - 1 where id = $1 and failures > 0', [id])

  async function setProved(caller: Caller, id: string): Promise<void> {
    const { userId, sessionId } = caller
    const { rowCount } = await pool.query(
      `update proof set proved_at = $4 where id = $1 and user_id = $2 and session_id = $3 and expires_at > $4
          and proved_at is null and used_at is null`,
      [id, userId, sessionId, realNow()],
    )
    if (rowCount !== 1) refuse('proof_invalid')
  }

  async function isSpent(caller: Caller, act: ProvenAct, proof: string): Promise<boolean> {
    const { rowCount } = await pool.query(
      `update proof set used_at = coalesce(used_at, $4)
        where id = $1 and user_id = $2 and session_id = $3 and binding = $5 and proved_at is not null
          and ((used_at is null and expires_at > $4)
            or ($6 and used_at > $4::timestamptz - make_interval(hours => $7)))`,
      [...keysOf(caller, proof), bindingOf(act, caller.userId), act.hidden?.idempotencyKey !== undefined, repeatHours],
    )
    return rowCount === 1
  }

  async function ask(caller: Caller, act: ProvenAct): Promise<ProofDemand> {
    const at = realNow()
    const id = newId(at)
    const expiresAt = new Date(at.getTime() + minutes * 60_000)
    const ways = await waysOf(caller.userId)
    await pool.query(
      `with swept as (delete from proof where expires_at < $7::timestamptz - make_interval(days => $9))
       insert into proof (id, user_id, session_id, action, binding, subject, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        id,
        caller.userId,
        caller.sessionId,
        act.action,
        bindingOf(act, caller.userId),
        JSON.stringify(Object.entries(act.subject)),
        at,
        expiresAt,
        keptDays,
      ],
    )
    return {
      id,
      action: act.action,
      subject: { ...act.subject },
      expires_at: expiresAt.toISOString(),
      passkey: ways.has_passkey,
      password: ways.password_hash !== null,
      code: ways.has_totp ? 'totp' : 'email',
    }
  }

  async function demand(caller: Caller, act: ProvenAct, proof: string | undefined): Promise<void> {
    if (proof !== undefined && (await isSpent(caller, act, proof))) return
    refuse('proof_required', { extra: { proof: await ask(caller, act) } })
  }

  async function mailProofCode(caller: Caller, id: string): Promise<void> {
    const { action, subject } = await openProof(caller, id)
    const { email, has_totp: hasTotp } = await waysOf(caller.userId)
    if (hasTotp) refuse('proof_invalid')
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    await transact(pool, async (tx) => {
      const { rowCount } = await tx.query(
        `update proof set mailed_code = $5, mails = mails + 1 where ${isOpen} and mails < $6`,
        [...keysOf(caller, id), mailedHash(id, code), mostMails],
      )
      if (rowCount !== 1) refuse('rate_limited')
      const lines = [actionWords[action], ...subject.map(lineOf)]
      await notifications.mail(tx, { email, userId: caller.userId }, 'proof_code', { code, lines })
    })
    notifications.deliverSoon()
  }

  async function demandPassword(email: string, stored: string, password: string): Promise<void> {
    const isRight = await attempts.guard(email, async () => (await isPassword(stored, password)) || undefined)
    if (!isRight) refuseField('invalid_credentials', 'password', 'This password is not right.')
  }

  async function demandCode(userId: bigint, isRight: () => Promise<boolean>): Promise<void> {
    const found = await attempts.guard(codeGuesses(userId), async () => (await isRight()) || undefined)
    if (!found) refuseField('code_invalid', 'code')
  }

  async function proveByCode(caller: Caller, id: string, given: { password?: string | undefined; code: string }) {
    await openProof(caller, id)
    const { email, password_hash: stored, has_totp: hasTotp } = await waysOf(caller.userId)
    const password = given.password ?? ''
    if (stored !== null && password === '') refuseField('invalid_request', 'password', 'Password is required')
    const { mailed_code: mailed } = await countAttempt(caller, id)
    const typed = given.code.replaceAll(/\s/g, '')
    const isCode = async () =>
      hasTotp
        ? totp.spend(pool, caller.userId, typed)
        : mailed !== null && timingSafeEqual(mailed, mailedHash(id, typed))
    try {
      if (stored !== null) await demandPassword(email, stored, password)
      await demandCode(caller.userId, isCode)
    } catch (error) {
      // What was not looked at does not count.
      if (error instanceof Refusal && error.code === 'too_many_attempts') await uncountAttempt(id)
      throw error
    }
    await setProved(caller, id)
  }

  async function proofPasskeyOptions(caller: Caller, id: string): Promise<CeremonyBegun> {
    const { binding } = await openProof(caller, id)
    const { has_passkey: hasPasskey } = await waysOf(caller.userId)
    if (!hasPasskey) refuse('proof_invalid')
    const challenge = sha256(randomBytes(32), id, binding)
    return ceremonies.beginAssertion({ purpose: 'proof', userId: caller.userId, subject: id }, challenge)
  }

  async function proveByPasskey(caller: Caller, id: string, answer: CeremonyAnswer): Promise<void> {
    await countAttempt(caller, id)
    await ceremonies.finishAssertion({ purpose: 'proof', userId: caller.userId, subject: id }, answer)
    await setProved(caller, id)
  }

  return { demand, mailProofCode, proveByCode, proofPasskeyOptions, proveByPasskey }
}
