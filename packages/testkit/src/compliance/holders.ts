// For tests: bank accounts whose holder the bank names, and the cases about these holders.

import { randomUUID } from 'node:crypto'
import { applyLinkState } from '@tern/server/features/payments/links/bank-links'
import { transact } from '@tern/server/platform/database/db'
import type { TestApp, TestPerson } from '../app.ts'
import { buildContext, findSandbox } from '../payments.ts'

/** Links an account whose bank reports this holder name; returns the account's id. */
export async function linkBankAccountWithHolder(
  world: TestApp,
  person: TestPerson,
  holderName: string,
  { bank = 'harbour', currency = 'USD' } = {},
): Promise<string> {
  const [linkId, { product }] = [randomUUID(), world.app]
  const { link: banks } = findSandbox(world)
  const started = await banks.beginLink({
    ...{ linkId, userReference: String(person.id), holderName, email: person.email, country: 'US' },
    ...{ returnUrl: `${world.url}/withdraw`, returnSecret: randomUUID(), idempotencyKey: randomUUID() },
  })
  if (started.status !== 'created') throw new Error('the sandbox links nothing')
  await product.pool.query(
    `insert into bank_link (id, user_id, provider, session_id, returned_at, status, created_at, updated_at, last_polled_at)
       values ($1, $2, 'sandbox', $3, now(), 'pending', now(), now(), now())`,
    [linkId, person.id, started.sessionId],
  )
  await fetch(`${world.sandboxUrl}/banks/${started.sessionId}`, {
    method: 'POST',
    body: new URLSearchParams({ action: 'allow', bank, account: currency }),
    redirect: 'manual',
  })
  const state = await banks.lookupLink(started.sessionId)
  if (state.status !== 'linked') throw new Error(`the link is ${state.status}`)
  await transact(product.pool, (tx) => applyLinkState(buildContext(world), tx, { provider: 'sandbox', state }))
  const { rows } = await product.pool.query<{ bank_account_id: string }>(
    'select bank_account_id from bank_link where id = $1',
    [linkId],
  )
  if (!rows[0]) throw new Error('the link is gone')
  return rows[0].bank_account_id
}

/** Returns the cases about the holder of an account, oldest first. */
export const loadHolderCases = async ({ database }: Pick<TestApp, 'database'>, accountId: string) =>
  (
    await database.pool.query<{ id: string; state: string; stops: string; need: string; decide_by: Date }>(
      'select id, state, stops, need, decide_by from compliance_case where counterparty_id = $1 order by opened_at',
      [accountId],
    )
  ).rows
