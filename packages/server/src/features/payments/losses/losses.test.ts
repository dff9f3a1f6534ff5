import { currentUser } from '@tern/contract/identity'
import { openLosses, payLoss } from '@tern/contract/payments/losses'
import { money } from '@tern/money/money'
import type { LineKind } from '@tern/providers/report/port'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadFailedChecks, nextMail, settleCall } from '@tern/testkit/banking'
import { createTestBooks, type TestBooks } from '@tern/testkit/books/books'
import { recordCaseDecisions, openTestCase } from '@tern/testkit/compliance/cases'
import { type Attack, readCode, send, sendTo, startAttack } from '@tern/testkit/attacks/attack'
import { callNode } from '@tern/testkit/nodes'
import type { TestPerson } from '@tern/testkit/app'

let attack: Attack
let books: TestBooks
let owner: TestPerson
let friend: TestPerson
let paymentId: string

beforeAll(async () => {
  attack = await startAttack('any')
  books = createTestBooks(attack.world)
})
afterAll(() => attack.close())
// 60 of 100 dollars are spent with a fee of 30 cents before the card payment is fully reversed: the loss is 60.30.
beforeEach(async () => {
  ;[owner, friend] = [await attack.newPerson(), await attack.newPerson('friend')]
  ;({ paymentId } = await attack.world.fund(owner, 10_000))
  expect(readCode(await send(owner, friend, '60.00'))).toBe('passed')
  await recordReversal('chargeback', 10_000n)
})

const recordReversal = (kind: LineKind, minor: bigint) =>
  books.write({ kind, amount: money('USD', minor), reference: paymentId })
const pay = (expected: string, payer = owner, id = paymentId) =>
  settleCall(payer.call(payLoss, { params: { id }, body: { expected_total: expected } }))
const loadLosses = async (person = owner) => (await person.call(openLosses, {})).losses
const loadBalance = async () => (await owner.wallet()).fiat_balance

describe('a loss', () => {
  test('is repaid from the wallet, and in that moment money leaves again through every process', async () => {
    expect(await loadLosses()).toMatchObject([{ payment_id: paymentId, amount: '60.30', currency: 'USD' }])
    expect(await send(owner, friend, '1.00')).toMatchObject({ code: 'loss_open' })
    expect(await owner.call(currentUser, {})).toMatchObject({ has_open_loss: true })
    const mail = await nextMail(attack.world, owner, 'A card payment was charged back')
    expect(mail).toMatch(/nothing can leave your wallet[\s\S]*\$100\.00[\s\S]*\$60\.30[\s\S]*settings#missing-money/)
    expect(await friend.call(currentUser, {})).toMatchObject({ has_open_loss: false })
    await attack.world.fund(owner, 10_000)
    expect(await pay('60.30')).toMatchObject({ losses: [] })
    expect(await owner.call(currentUser, {})).toMatchObject({ has_open_loss: false })
    expect(await loadBalance()).toBe('39.70')
    const answers = await Promise.all(
      attack.urls.map((url) =>
        callNode(url, owner, { method: 'POST', path: '/payment/transfer', body: sendTo(friend, '1.00') }),
      ),
    )
    expect(answers.map(({ status }) => status < 300)).toEqual([true, true, true])
    expect(
      (
        await attack.world.database.pool.query(`select resolution from reconciliation_exception where reference = $1`, [
          paymentId,
        ])
      ).rows,
    ).toEqual([{ resolution: 'paid_by_person' }])
    expect(await loadFailedChecks(attack.world)).toEqual([])
  })

  test('is repaid once, however often it is requested concurrently', async () => {
    await attack.world.fund(owner, 20_000)
    const answers = await Promise.all(Array.from({ length: 9 }, () => pay('60.30')))
    expect(answers).toEqual(Array.from({ length: 9 }, () => expect.objectContaining({ losses: [] })))
    expect(await loadBalance()).toBe('139.70')
    expect(await loadFailedChecks(attack.world)).toEqual([])
  })

  test('is not repaid in part, at another amount, by another user, or while the account is frozen', async () => {
    await attack.world.fund(owner, 5_000)
    expect(await pay('60.30')).toMatchObject({ code: 'insufficient_funds' })
    expect(await pay('10.00')).toMatchObject({ code: 'price_changed' })
    expect(await pay('60.30', friend)).toMatchObject({ losses: [] })
    await attack.world.fund(owner, 5_000)
    await attack.world.database.pool.query('update app_user set frozen_at = now() where id = $1', [owner.id])
    expect(await pay('60.30')).toMatchObject({ code: 'account_frozen' })
    expect(await loadLosses()).toHaveLength(1)
    expect(await loadBalance()).toBe('100.00')
    expect(await loadFailedChecks(attack.world)).toEqual([])
  })

  test.each([
    ['clear', []],
    ['confirm', [{ amount: '60.30' }]],
  ] as const)(
    'is not repaid while a case stops its owner, who sees no reason; after "%s"',
    async (verdict, remainingLosses) => {
      await attack.world.fund(owner, 10_000)
      const caseInput = { userId: BigInt(owner.id), kind: 'pattern', evidence: { rule: 'test' } } as const
      const caseId = await openTestCase(attack.world, caseInput)
      const refusedPayment = await pay('60.30')
      expect(refusedPayment).toMatchObject({ code: 'payment_refused' })
      expect(JSON.stringify(refusedPayment)).not.toMatch(/case|check|review|complian/i)
      expect([await loadBalance(), await loadLosses()]).toMatchObject(['100.00', [{ amount: '60.30' }]])
      await recordCaseDecisions(attack.world, caseId, verdict)
      expect(await pay('60.30')).toMatchObject(verdict === 'clear' ? { losses: [] } : { code: 'payment_refused' })
      expect([await loadBalance(), await loadLosses()]).toMatchObject([
        verdict === 'clear' ? '39.70' : '100.00',
        remainingLosses,
      ])
      expect(await loadFailedChecks(attack.world)).toEqual([])
    },
  )

  test('that was repaid comes back in full when the dispute is won', async () => {
    await attack.world.fund(owner, 10_000)
    await pay('60.30')
    await recordReversal('chargeback_reversal', 10_000n)
    expect(await loadBalance()).toBe('139.70')
    expect(await loadFailedChecks(attack.world)).toEqual([])
  })

  test('that a dispute recovered in part is repaid for the rest', async () => {
    await recordReversal('chargeback_reversal', 2_000n)
    expect(await loadLosses()).toMatchObject([{ amount: '40.30' }])
    await attack.world.fund(owner, 5_000)
    expect(await pay('40.30')).toMatchObject({ losses: [] })
    expect(await loadBalance()).toBe('9.70')
    await recordReversal('chargeback_reversal', 8_000n)
    expect(await loadBalance()).toBe('89.70')
    expect(await loadFailedChecks(attack.world)).toEqual([])
  })
})
