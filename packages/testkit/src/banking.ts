// For tests: step-up confirmations, mails, and payouts of a running product.

import { randomUUID } from 'node:crypto'
import { Refused } from '@tern/contract/protocol/client'
import { mailStepUpCode, type StepUpRequirement, proveByCode } from '@tern/contract/security'
import { expect, vi } from 'vitest'
import type { RawAnswer, TestApp, TestPerson } from './app.ts'
import { callControl, deliver } from './payments.ts'
import { audit } from '@tern/server/commands/audit/audit'
import type { AuditCheck } from '@tern/server/commands/audit/apply-rules'
import type { PayoutRow } from '@tern/server/features/payments/row-types'

/** Returns the result of a call, or the problem with which it was refused. */
export async function settleCall<T>(call: Promise<T>): Promise<T | Refused['problem']> {
  try {
    return await call
  } catch (error) {
    if (error instanceof Refused) return error.problem
    throw error
  }
}

/** Returns the step-up requirement from a refusal. */
export function readRequirement(outcome: unknown): StepUpRequirement {
  expect(outcome).toMatchObject({ status: 403, code: 'step_up_required' })
  return (outcome as { confirmation: StepUpRequirement }).confirmation
}

/** Returns the texts of a person's mails with a matching subject, newest first. */
export async function loadMails(
  world: TestApp,
  { email }: Pick<TestPerson, 'email'>,
  subject: string | RegExp,
): Promise<string[]> {
  const answer = await fetch(`${world.sandboxUrl}/api/mail?to=${encodeURIComponent(email)}`)
  const mails = (await answer.json()) as { subject: string; text: string }[]
  const matches = (receivedSubject: string) =>
    typeof subject === 'string' ? receivedSubject === subject : subject.test(receivedSubject)
  return mails.filter((mail) => matches(mail.subject)).map(({ text }) => text.replaceAll('\n', ' '))
}

/** Waits for the mail with a matching subject that follows the first `known` ones; returns its text. */
export async function nextMail(
  world: TestApp,
  person: Pick<TestPerson, 'email'>,
  subject: string | RegExp,
  known = 0,
): Promise<string> {
  await vi.waitFor(async () => expect((await loadMails(world, person, subject)).length).toBe(known + 1), {
    timeout: 120_000,
  })
  return (await loadMails(world, person, subject))[0] ?? ''
}

/** Confirms a step-up with password and mailed code; returns the text of the mail. */
export async function confirm(world: TestApp, person: TestPerson, { id }: StepUpRequirement): Promise<string> {
  const subject = /^Your (confirmation )?code\b/
  const known = (await loadMails(world, person, subject)).length
  await person.call(mailStepUpCode, { params: { id } })
  const text = await nextMail(world, person, subject, known)
  const code = /\b(\d{3}) ?(\d{3})\b/.exec(text)?.slice(1).join('') ?? ''
  await person.call(proveByCode, { params: { id }, body: { password: person.password, code } })
  return text
}

export async function loadStoredPayout(world: TestApp, id: string): Promise<PayoutRow> {
  const { rows } = await world.database.pool.query<PayoutRow>('select * from payout where id = $1', [id])
  if (!rows[0]) throw new Error(`there is no payout ${id}`)
  return rows[0]
}

/** Returns the event that the sandbox would send about a payout; `change` overrides its data. */
export async function payoutEvent(
  world: TestApp,
  payoutId: string,
  status: 'paid' | 'failed' | 'returned',
  change: object = {},
): Promise<string> {
  const { amount_minor: minor, currency } = await loadStoredPayout(world, payoutId)
  return JSON.stringify({
    id: randomUUID(),
    type: `payout.${status}`,
    created_at: new Date().toISOString(),
    data: {
      payout_id: `po_${payoutId}`,
      status,
      reference: payoutId,
      amount_minor: String(minor),
      currency,
      ...(status === 'failed' ? {} : { paid_id: `paid_${payoutId}` }),
      ...(status === 'returned' ? { return_id: `return_${payoutId}` } : {}),
      ...(status === 'paid' ? {} : { reason: 'account_closed' }),
      ...change,
    },
  })
}

/** Delivers the event about a payout once, as the sandbox would. */
export const reportPayout = async (...about: Parameters<typeof payoutEvent>): Promise<RawAnswer> =>
  deliver(about[0], await payoutEvent(...about))

export async function steerPayout(world: TestApp, payoutId: string, action: 'pay' | 'fail' | 'return'): Promise<void> {
  const { provider_payout_id: id } = await loadStoredPayout(world, payoutId)
  await callControl(world, `payouts/${id}/${action}`)
}

export async function loadFailedChecks({ database }: Pick<TestApp, 'database'>): Promise<AuditCheck[]> {
  const { checks } = await audit(database.pool)
  return checks.filter(({ ok }) => !ok)
}
