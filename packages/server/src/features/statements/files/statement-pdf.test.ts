import type { StatementLine } from '@tern/contract/statements'
import { money, toDecimal } from '@tern/money/money'
import { readPdf } from '@tern/testkit/receipts/pdf'
import { expect, test } from 'vitest'
import { readCatalogues } from '../../../platform/messages.ts'
import { statementPdf, type StatementPaper } from './statement-pdf.ts'

const messages = (await readCatalogues()).get('en')
const decimal = (minor: bigint) => toDecimal(money('USD', minor))

const line = (index: number, change: Partial<StatementLine> = {}): StatementLine => ({
  id: `01a20289-bd22-711f-a95c-a469daac5eb6:${index}`,
  at: '2026-10-05T10:00:00.000Z',
  kind: 'received',
  status: 'completed',
  reference: 'TRN-8F41-D2K7-06DP',
  transaction_id: null,
  counterparty: { id: 1_234_567_890, username: 'ben', name: 'Ben Baker' },
  description: 'Rent',
  amount: decimal(BigInt(index)),
  balance: decimal(BigInt(index * 1000)),
  original_amount: null,
  original_currency: null,
  rate: null,
  ...change,
})

const paperWith = (lines: readonly StatementLine[]): StatementPaper => ({
  statement: {
    issuer: { name: 'Example Operator, Inc.', registration: null, license: null, contact: 'help@tern.example' },
    holder: { id: 1_234_567_891, username: 'anna', name: 'Anna Tester' },
    currency: 'USD',
    period: {
      from: '2026-10-01',
      to: '2026-10-31',
      time_zone: 'Europe/Paris',
      starts_at: '2026-09-30T22:00:00.000Z',
      ends_at: '2026-10-31T23:00:00.000Z',
      as_of: '2026-10-31T23:00:00.000Z',
      is_final: true,
    },
    opening_balance: '0.00',
    closing_balance: '1.00',
    on_hold: '0.00',
  },
  totals: { lines: lines.length, money_in: '1.00', money_out: '0.00', fees: '0.00', put_on_hold: '0.00' },
  lines,
})

const write = (lines: readonly StatementLine[], size: 'A4' | 'LETTER' = 'A4') => {
  if (!messages) throw new Error('there is no English catalogue')
  return statementPdf(paperWith(lines), { messages, size })
}

test('a long statement repeats its heads, and carries the balance over to each page', async () => {
  const lines = Array.from({ length: 300 }, (_, index) => line(index + 1))
  const { pages } = readPdf(await write(lines))
  expect(pages.length).toBeGreaterThan(8)
  const balances: string[] = []
  pages.forEach(({ words, height, width }, index) => {
    const texts = words.map(({ text }) => text)
    expect(texts).toContain('Balance')
    expect(texts).toContain(`Page ${index + 1} of ${pages.length}`)
    for (const { left, right, base } of words) {
      expect(left).toBeGreaterThan(41)
      expect(right).toBeLessThan(width - 41)
      expect(base).toBeLessThan(height - 28)
    }
    const shown = words
      .filter(({ text, right }) => /^\$[\d,]+\.00$/.test(text) && right > width - 43)
      .map(({ text }) => text)
    if (index > 0) expect(shown[0], 'carried over').toBe(balances.at(-1))
    balances.push(...shown)
  })
  for (const { balance } of lines) {
    const [whole = '', cents = ''] = balance.split('.')
    expect(balances).toContain(`$${BigInt(whole).toLocaleString('en-US')}.${cents}`)
  }
})

test('texts in any script and of any length stay inside the page', async () => {
  const description = `${'W'.repeat(499)}Z`
  const file = await write(
    [
      line(1, { description }),
      line(2, {
        description: 'شكراً على الإيجار '.repeat(20),
        counterparty: { id: 1_234_567_890, username: 'x', name: '山田 太郎' },
      }),
      line(3, { description: '🎉👩‍👩‍👧'.repeat(30) }),
    ],
    'LETTER',
  )
  const { pages, texts } = readPdf(file)
  expect(texts.join('')).toContain(`${'W'.repeat(159)}…`)
  expect(texts.join('')).toContain('山田')
  for (const { words, width } of pages) for (const { right } of words) expect(right).toBeLessThan(width - 41)
})

test('a statement without changes says so', async () => {
  expect(readPdf(await write([])).texts).toContain('No changes in this period.')
})
