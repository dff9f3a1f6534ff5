import { randomUUID } from 'node:crypto'
import { checkPayee, type PayeeCheck, payoutStatus, withdraw } from '@tern/contract/banking'
import { countries } from '@tern/contract/countries'
import { money, toDecimal } from '@tern/money/money'
import { beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, loadStoredPayout, readRequirement, settleCall } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { linkAccount } from '@tern/testkit/payments'
import { allowUnconfirmed } from '@tern/testkit/risk'

const world = await openTestApp()
beforeEach(() => allowUnconfirmed(world.database.pool, { dollars: 10_000 }))

const schemes: Readonly<Record<string, string>> = {
  GB: 'confirmation_of_payee',
  AU: 'confirmation_of_payee',
  DE: 'verification_of_payee',
  FR: 'verification_of_payee',
}

/** Sandbox banks by their answer, and what follows from it. */
const outcomes = [
  { bank: 'harbour', told: 'match', isNamed: false, orders: ['ordered'], answer: 'not_needed' },
  {
    bank: 'ripple',
    told: 'close_match',
    isNamed: true,
    orders: ['payee_not_confirmed', 'ordered'],
    answer: 'accepted',
  },
  {
    bank: 'squall',
    told: 'no_match',
    isNamed: false,
    orders: ['payee_not_confirmed', 'step_up_required', 'ordered'],
    answer: 'proven',
  },
  { bank: 'haze', told: 'not_possible', isNamed: false, orders: ['ordered'], answer: 'not_needed' },
  { bank: 'lull', told: 'unknown', isNamed: false, orders: ['provider_unavailable'], answer: undefined },
] as const

interface Order {
  readonly person: TestPerson
  readonly bankAccountId: string
  readonly currency: (typeof countries)[number]['currency']
}

interface OrderChanges {
  readonly key?: string
  /** Check that the order names as shown and accepted. */
  readonly shown?: PayeeCheck
  readonly confirmation?: string
  readonly minor?: bigint
}

const order = (
  { person, bankAccountId, currency }: Order,
  { key = randomUUID(), shown, confirmation, minor = 300n }: OrderChanges = {},
) => {
  const body = { amount: toDecimal(money(currency, minor)), currency, bankAccountId }
  return settleCall(
    person.call(withdraw, {
      body: shown?.id ? { ...body, payee_check: shown.id } : body,
      idempotencyKey: key,
      confirmation,
    }),
  )
}

const readCode = (outcome: object) => ('code' in outcome ? String(outcome.code) : 'ordered')

function readPayoutId(outcome: object): string {
  if (!('payout_id' in outcome)) throw new Error(`not ordered: ${readCode(outcome)}`)
  return String(outcome.payout_id)
}

const tell = (person: TestPerson, id: string) => person.call(checkPayee, { params: { userId: String(person.id), id } })

const loadEvidence = async (bankAccountId: string) =>
  (
    await world.database.pool.query<Record<string, unknown>>(
      `select scheme, result, told_at is not null as told, known_name is not null as named, payee_answer as answer
         from payee_check c left join payout p on p.payee_check_id = c.id where c.bank_account_id = $1 order by checked_at`,
      [bankAccountId],
    )
  ).rows

const setBanksAnswer = (answer: string) =>
  fetch(`${world.sandboxUrl}/api/control/payees`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${world.sandboxSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ answer }),
  })

async function openAccount(bank: string, country = 'United Kingdom'): Promise<Order> {
  const { code, currency } = countries.find(({ name }) => name === country)!
  const person = await world.enroll('mia', country)
  await world.fund(person, 100_000)
  return { person, currency, bankAccountId: await linkAccount(world, person, { bank, currency, country: code }) }
}

/** Lets the checks of an account expire, as a day later. */
const expireChecks = ({ bankAccountId }: Order) =>
  world.database.pool.query(
    `update payee_check set valid_until = $2::timestamptz - interval '1 minute' where bank_account_id = $1`,
    [bankAccountId, world.app.product.now()],
  )

/** Same bank and currency, in another country: another account. */
const otherSquall = { bank: 'squall', currency: 'GBP', country: 'US' }

const payments = () => world.app.product.payments

describe.each(countries)('in $name', ({ name, code, currency }) => {
  test('every answer of a bank is told, decides the withdrawal, and is kept as evidence', async () => {
    const person = await world.enroll('mia', name)
    await world.fund(person, 100_000)
    for (const { bank, told, isNamed, orders, answer } of outcomes) {
      const bankAccountId = await linkAccount(world, person, { bank, currency, country: code })
      const account = { person, bankAccountId, currency }
      const shown = await tell(person, bankAccountId)
      expect([bank, shown.result, shown.known_name !== null]).toEqual([bank, told, isNamed])
      const key = randomUUID()
      const codes: string[] = []
      let outcome: object = await order(account, { key })
      codes.push(readCode(outcome))
      if (readCode(outcome) === 'payee_not_confirmed') {
        expect(outcome).toMatchObject({ status: 409, payee: shown })
        outcome = await order(account, { key, shown })
        codes.push(readCode(outcome))
      }
      if (readCode(outcome) === 'step_up_required') {
        const requirement = readRequirement(outcome)
        expect(requirement.subject.payee).toMatch(/not in your name/)
        await person.confirmAtOnce?.(requirement.id)
        outcome = await order(account, { key, shown, confirmation: requirement.id })
        codes.push(readCode(outcome))
      }
      expect([bank, codes]).toEqual([bank, orders])
      const scheme = schemes[code] ?? 'bank_lookup'
      expect(await loadEvidence(bankAccountId)).toEqual(
        answer === undefined ? [] : [{ scheme, result: told, told: true, named: isNamed, answer }],
      )
    }
  })
})

describe('a mismatch', () => {
  test('sends nothing for an answer to another outcome, another account or an old one', async () => {
    const account = await openAccount('ripple')
    const other = await openAccount('ripple')
    const foreign = await tell(other.person, other.bankAccountId)
    expect(readCode(await order(account, { shown: foreign }))).toBe('payee_not_confirmed')
    const shown = await tell(account.person, account.bankAccountId)
    await setBanksAnswer('no_match')
    await expireChecks(account)
    expect(readCode(await order(account, { shown }))).toBe('payee_not_confirmed')
    await setBanksAnswer('')
    await world.database.pool.query(`update payee_check set told_at = told_at - interval '1 hour' where id = $1`, [
      shown.id,
    ])
    await expireChecks(account)
    expect(readCode(await order(account, { shown }))).toBe('payee_not_confirmed')
    const { rows } = await world.database.pool.query('select from payout where bank_account_id = $1', [
      account.bankAccountId,
    ])
    expect(rows).toEqual([])
  })

  test('is told by the refusal, whose check the next request may name', async () => {
    const account = await openAccount('ripple')
    const refusal = await order(account)
    const shown = 'payee' in refusal ? (refusal.payee as PayeeCheck) : undefined
    expect(shown).toMatchObject({ result: 'close_match' })
    expect(readCode(await order(account, { ...(shown && { shown }) }))).toBe('ordered')
  })

  test('is confirmed for this account, amount and outcome only', async () => {
    const account = await openAccount('squall')
    const shown = await tell(account.person, account.bankAccountId)
    const key = randomUUID()
    const { id: confirmation } = readRequirement(await order(account, { shown, key }))
    await account.person.confirmAtOnce?.(confirmation)
    const other = { ...account, bankAccountId: await linkAccount(world, account.person, otherSquall) }
    const otherShown = await tell(account.person, other.bankAccountId)
    for (const refused of [
      await order(account, { shown, key, confirmation, minor: 301n }),
      await order(account, { shown, confirmation }),
      await order(other, { shown: otherShown, key, confirmation }),
    ]) {
      expect(readCode(refused)).toBe('step_up_required')
    }
    expect(readCode(await order(account, { shown, key, confirmation }))).toBe('ordered')
  })

  test('cannot be stored without an answer, whatever the program does', async () => {
    const account = await openAccount('ripple')
    const shown = await tell(account.person, account.bankAccountId)
    const outcome = await order(account, { shown })
    const payoutId = readPayoutId(outcome)
    const { pool } = world.database
    // Unlogged, because PostgreSQL's message would quote the row with the account's token.
    const change = (set: string) =>
      pool.query(
        `set log_min_messages = fatal; update payout set ${set} where id = '${payoutId}'; reset log_min_messages`,
      )
    await expect(change(`payee_answer = 'not_needed'`)).rejects.toThrow('payout_mismatch_is_answered')
    await expect(change(`payee_result = 'match'`)).rejects.toThrow('payout_payee_check')
    await expect(change(`payee_answer = null, payee_answered_at = null`)).rejects.toThrow(/payout_/)
  })
})

describe('an outcome that is stale when the money would leave', () => {
  async function orderMatch(bank: string): Promise<Order & { payoutId: string }> {
    const account = await openAccount(bank)
    const shown = await tell(account.person, account.bankAccountId)
    const outcome = await order(account, { shown })
    const payoutId = readPayoutId(outcome)
    await expireChecks(account)
    return { ...account, payoutId }
  }
  const loadStatus = ({ person, payoutId }: { person: TestPerson; payoutId: string }) =>
    person.call(payoutStatus, { params: { id: payoutId } })

  test('is checked again: the same answer sends, a worse one sends nothing and returns the money', async () => {
    const kept = await orderMatch('ripple')
    await payments().submitPayout(kept.payoutId)
    expect(await loadStoredPayout(world, kept.payoutId)).toMatchObject({ status: 'pending', payee_answer: 'accepted' })
    expect((await loadStoredPayout(world, kept.payoutId)).provider_payout_id).not.toBeNull()

    for (const [bank, answer] of [
      ['harbour', 'close_match'],
      ['harbour', 'no_match'],
      ['ripple', 'no_match'],
    ] as const) {
      const changed = await orderMatch(bank)
      await setBanksAnswer(answer)
      await payments().submitPayout(changed.payoutId)
      await setBanksAnswer('')
      const { status, reason } = await loadStatus(changed)
      expect([status, reason]).toEqual(['failed', expect.stringMatching(/changed/)])
      expect((await loadStoredPayout(world, changed.payoutId)).provider_payout_id).toBeNull()
      expect((await changed.person.wallet()).fiat_balance).toBe('1000.00')
    }
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('waits while the bank does not answer, and is sent once it does', async () => {
    const waiting = await orderMatch('harbour')
    await setBanksAnswer('unanswered')
    await payments().submitPayout(waiting.payoutId)
    expect((await loadStoredPayout(world, waiting.payoutId)).provider_payout_id).toBeNull()
    expect((await loadStatus(waiting)).status).toBe('pending')
    await setBanksAnswer('')
    await payments().submitPayout(waiting.payoutId)
    expect((await loadStoredPayout(world, waiting.payoutId)).provider_payout_id).not.toBeNull()
  })

  test('is one about an earlier name too', async () => {
    const account = await openAccount('harbour')
    const first = await tell(account.person, account.bankAccountId)
    expect((await tell(account.person, account.bankAccountId)).id).toBe(first.id)
    await world.database.pool.query('update app_user set name = $2 where id = $1', [account.person.id, 'Ines Okafor'])
    expect((await tell(account.person, account.bankAccountId)).id).not.toBe(first.id)
  })
})
