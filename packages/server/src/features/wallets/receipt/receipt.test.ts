import { randomUUID } from 'node:crypto'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import { transactionReceipt, transactionReceiptFile } from '@tern/contract/transactions'
import { cancelTransfer, sendMoney, settleTransfer } from '@tern/contract/transfers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { readPdf } from '@tern/testkit/receipts/pdf'

let world: TestApp
let alice: TestPerson
let bruno: TestPerson
let carol: TestPerson
/** Id of a send from Alice to Bruno. */
let id: string
/** Count of users enrolled so far by the tests about names. */
let nameCount = 0

beforeAll(async () => {
  world = await startTestApp()
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  carol = await world.enroll('carol', 'Germany')
  await world.fund(alice, 100_000)
  id = await send(bruno)
})
afterAll(() => world.close())

async function send(to: TestPerson, overrides: object = {}): Promise<string> {
  const body = {
    recipient_id: to.id,
    amount: '40.00',
    source_currency: 'USD',
    description: 'Rent share',
    ...overrides,
  } as const
  return (await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
}

const loadReceipt = (person: TestPerson, id: string) => person.call(transactionReceipt, { params: { id } })

const requestReceiptFile = (token: string | undefined, id: string) =>
  world.app.http.inject({
    method: transactionReceiptFile.method,
    url: `/api/transaction/${id}/receipt.pdf`,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })

const loadReceiptPdf = async (person: TestPerson, id: string) =>
  readPdf((await requestReceiptFile(person.token, id)).rawPayload).texts

test('a receipt is its owner’s: both parties have their own, others none', async () => {
  const receipt = await loadReceipt(alice, id)
  expect(receipt.owner).toEqual({ username: alice.username, name: 'alice Tester', country: 'US' })
  expect(receipt.transaction).toMatchObject({ id, transaction_type: 'SEND', fee: '0.40', target_amount: '37.20' })
  expect(receipt.delivered_at).toBe(receipt.transaction.timestamp)
  const recipientReceipt = await loadReceipt(bruno, id)
  expect(recipientReceipt.transaction).toMatchObject({ transaction_type: 'RECEIVE', fee: '0.00' })
  for (const path of [`/transaction/${id}/receipt`, `/transaction/${id}/receipt.pdf`]) {
    expect((await world.raw('GET', path, { token: carol.token })).body).toMatchObject({
      status: 404,
      code: 'not_found',
    })
    expect((await world.raw('GET', path)).body).toMatchObject({ status: 401, code: 'unauthenticated' })
    const unknownPath = path.replace(id, randomUUID())
    expect((await world.raw('GET', unknownPath, { token: alice.token })).body).toMatchObject({ code: 'not_found' })
  }
})

test('the PDF is a tagged file to keep, with every fact as text', async () => {
  const { statusCode, headers, rawPayload } = await requestReceiptFile(alice.token, id)
  expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([200, 'application/pdf', 'no-store'])
  expect(headers['content-disposition']).toContain(`attachment; filename="Tern receipt ${deriveReference(id)}.pdf"`)
  expect(rawPayload.subarray(0, 5).toString()).toBe('%PDF-')
  expect(rawPayload.length).toBeLessThan(100_000)
  const { texts, parts, head } = readPdf(rawPayload)
  for (const text of [
    ...['United States to Germany', 'Arrived in under a second', 'Wallet', '$40.40', 'bruno got', '€37.20'],
    ...['alice Tester', 'bruno Tester', 'United States', 'Germany', '$40.00', 'Fee, 1%', '$0.40'],
    ...[
      '1 USD = 0.9300 EUR',
      'Total paid',
      'Completed',
      'Rent share',
      deriveReference(id),
      id,
      'Paid with',
      'Date of issue',
    ],
  ]) {
    expect(texts).toContain(text)
  }
  expect(texts.join('')).not.toContain('\ufffd')
  // Both verification forms name Springfield as the city of residence.
  expect(`${texts.join(' ')} ${head}`).not.toMatch(/Springfield|New York|Frankfurt|°|\bkm\b/)
  expect(texts.indexOf('bruno got')).toBeLessThan(texts.indexOf('Paid with'))
  expect(new Set(parts)).toEqual(new Set(['Document', 'H1', 'H2', 'P', 'Figure', 'Table', 'TR', 'TH', 'TD']))
  expect(head).toMatch(/\/Lang \(en\)/)
  expect(head).toMatch(/\/MarkInfo/)
  expect(head).toMatch(/\/DisplayDocTitle true/)
  expect(head).toContain('Map of the route: United States to Germany.')
  const recipientTexts = await loadReceiptPdf(bruno, id)
  expect(recipientTexts).toContain('From')
  for (const text of ['Fee', 'Paid with']) {
    expect(recipientTexts.filter((line) => line.startsWith(text))).toEqual([])
  }
})

test.each([
  ['Tuấn Nguyễn', 'Cảm ơn bạn'],
  ['Ọlá Ẹ̀kọ́', 'Łódź, Ελλάδα, Đà Nẵng'],
  ['李雷', '十二月的房租'],
  ['محمد عبد الله', 'حصة الإيجار'],
  ['Ольга Петрова', '🎉 𓀀'],
])('the receipt of a payment to %s is a file for both, with the name in it', async (name, description) => {
  const username = `letters${(nameCount += 1)}`
  const person = await world.enroll(username, 'United States')
  await world.database.pool.query('update app_user set name = $2 where id = $1', [person.id, name])
  const sendId = await send(person, { amount: '1.00', description })
  for (const reader of [alice, person]) {
    const { statusCode, rawPayload } = await requestReceiptFile(reader.token, sendId)
    expect(statusCode).toBe(200)
    const receiptText = readPdf(rawPayload).texts.join('')
    const letters = Array.from(name.normalize('NFC').replaceAll(' ', ''))
    for (const letter of letters) expect(receiptText).toContain(letter)
  }
})

test('the title names both parties if the money stayed in one currency', async () => {
  const dana = await world.enroll('dana', 'United States')
  await world.database.pool.query(`update app_user set name = 'Nguyễn Thị' where id = $1`, [dana.id])
  const texts = await loadReceiptPdf(alice, await send(dana, { amount: '1.00' }))
  expect(texts.join('')).toContain('alice to Nguyễn')
})

test('users in the United States and Canada get Letter, all others A4', async () => {
  const loadPageSize = async (person: TestPerson) =>
    readPdf((await requestReceiptFile(person.token, id)).rawPayload).pages[0]?.width
  expect([await loadPageSize(alice), await loadPageSize(bruno)]).toEqual([612, 595.28])
})

test('a receipt of an undelivered or reversed payment says so', async () => {
  const id = await send(carol, { amount: '5.00', undo_seconds: 600 })
  expect((await loadReceipt(alice, id)).delivered_at).toBeNull()
  const pendingTexts = await loadReceiptPdf(alice, id)
  expect(pendingTexts).toContain('On its way. Not delivered yet.')
  expect(pendingTexts.join(' ')).not.toContain('Shaded: night')
  await alice.call(cancelTransfer, { params: { id } })
  const failedReceipt = readPdf((await requestReceiptFile(alice.token, id)).rawPayload)
  expect(failedReceipt.texts).toContain('Not completed.')
  expect(failedReceipt.texts).toContain('Not delivered')
  expect(
    failedReceipt.parts.filter((part) => part === 'Figure'),
    'no map, only the code',
  ).toHaveLength(1)
})

test('a held transfer’s receipt states the time until its decision', async () => {
  const heldId = await send(bruno, { amount: '2.00', undo_seconds: 600 })
  await alice.call(settleTransfer, { params: { id: heldId } })
  const { transaction, delivered_at: deliveredAt } = await loadReceipt(alice, heldId)
  const { rows } = await world.database.pool.query<{ decided_at: Date }>(
    'select decided_at from transfer where id = $1',
    [heldId],
  )
  expect([transaction.status, deliveredAt]).toEqual(['COMPLETED', rows[0]?.decided_at.toISOString()])
  const minuteEarlier = new Date(new Date(transaction.timestamp).getTime() - 60_000)
  await world.database.pool.query('update transfer set decided_at = $2 where id = $1', [heldId, minuteEarlier])
  expect((await loadReceipt(alice, heldId)).delivered_at, 'nothing arrives before it is sent').toBeNull()
})

test('money without geography has no map', async () => {
  const { transactions } = (await world.raw('GET', '/transaction?type=DEPOSIT', { token: alice.token })).body
  const texts = await loadReceiptPdf(alice, transactions[0].id)
  expect(texts).toContain('Deposit')
  expect(texts).toContain('$1,000.00')
  expect(texts.join(' ')).not.toContain('Orthographic')
})
