import { expect, test } from 'vitest'
import { amountInWords, amountTextInWords, dayInWords, momentInWords, paramsInWords } from './formats.ts'
import type { Language } from './language.ts'

const english: Language = { code: 'en', locale: 'en', direction: 'ltr' }
const german: Language = { code: 'de', locale: 'de-DE', direction: 'ltr' }
const bulgarian: Language = { code: 'bg', locale: 'bg-BG', direction: 'ltr' }
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

test.each([
  ['1234.50', 'USD', '$1,234.50', '1.234,50 $'],
  ['-5.00', 'CAD', '-CA$5.00', '-5,00 CA$'],
  ['5.00', 'AUD', 'A$5.00', '5,00 A$'],
  ['5.00', 'SGD', 'S$5.00', '5,00 S$'],
  ['1134567890', 'JPY', '¥1,134,567,890', '1.134.567.890 ¥'],
  ['751050.00', 'INR', '₹751,050.00', '751.050,00 ₹'],
  ['0.30', 'BRL', 'R$0.30', '0,30 R$'],
  ['5050.000000', 'USDT', '5,050.00 USDT', '5.050,00 USDT'],
  ['0.033266129032258064', 'ETH', '0.033266129032258064 ETH', '0,033266129032258064 ETH'],
  ['90071992547409931.23', 'EUR', '€90,071,992,547,409,931.23', '90.071.992.547.409.931,23 €'],
])('%s of %s reads %s', (decimal, currency, inEnglish, inGerman) => {
  expect(amountInWords(english, decimal, currency)).toBe(inEnglish)
  expect(plain(amountInWords(german, decimal, currency))).toBe(inGerman)
  expect(amountTextInWords(english, `${decimal} ${currency}`)).toBe(inEnglish)
})

test('a language without a sign for a currency gets the default sign', () => {
  expect(plain(amountInWords(bulgarian, '5.00', 'CAD'))).toMatch(/^5,00 CA\$$/)
})

test('amounts among the parameters of a sentence are formatted, other parameters are not', () => {
  const params = { needed: '606.00 USD', available: '0.5 BTC', name: '606.00 dollars', count: 3, day: '2026-03-09' }
  expect(paramsInWords(english, params)).toEqual({ ...params, needed: '$606.00', available: '0.50 BTC' })
})

test('mails have the hours of their language, and the year', () => {
  const at = new Date('2026-03-05T23:04:00Z')
  expect(momentInWords(english, at)).toEqual({ date: 'Mar 5, 2026', time: '11:04 PM' })
  expect(momentInWords(german, at)).toEqual({ date: '5. März 2026', time: '23:04' })
  expect(momentInWords(english, new Date('2026-03-05T00:04:00Z')).time).toBe('12:04 AM')
  expect(dayInWords(english, '2026-03-05')).toBe('Mar 5, 2026')
})
