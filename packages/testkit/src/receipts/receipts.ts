// For tests: receipts that are difficult to typeset.

import type { Receipt, Transaction } from '@tern/contract/transactions'

const id = '01a20289-bd22-711f-a95c-a469daac5eb6'

const transaction: Transaction = {
  ...{ id, transaction_id: id, release_reason: null, hold_reason: null, status: 'COMPLETED', outside: null },
  ...{ timestamp: '2026-11-20T14:15:02.000Z', date: '2026-11-20T14:15:02.000Z', payment_id: null },
  ...{ transaction_type: 'SEND', description: 'Rent', sender_id: 1, recipient_id: 2 },
  counterparty: { id: 2, username: 'lucas', name: 'Lucas Moreau', country: 'FR' },
  ...{ amount: '8888.00', currency: 'USD', source_amount: '8800.00', source_currency: 'USD' },
  ...{ target_amount: '8283.44', target_currency: 'EUR', stablecoin_amount: '8806.16', rate: '0.9413' },
  ...{ fee: '88.00', fee_currency: 'USD', payment_source: 'wallet_partial', source_wallet_id: null },
  ...{ from_wallet_id: null, to_wallet_id: null, recipient_wallet_id: null, recipient_address: null },
}

const price: Receipt['price'] = {
  ...{ mid_market_rate: '0.9413', rate_source: 'ecb+bitstamp', rate_as_of: '2026-11-20T14:15:02.000Z' },
  ...{ spread_percent: '0.00', reference_rate: '0.9413', reference_as_of: '2026-11-20T14:15:02.000Z' },
  ...{ spread_to_reference_percent: '0.01', total_cost_percent: '1.00' },
  proof_url: `https://tern.example/recompute?data=${'A1b2C3d4'.repeat(12)}`,
}

/** Returns the receipt of a send of $8,800.00 by wallet and card; `change` overrides the transaction. */
export const receiptWith = (change: Partial<Transaction> = {}, ownerName = 'Ines Okafor'): Receipt => ({
  issuer: {
    ...{ name: 'Example Operator, Inc.', registration: '0000000' },
    ...{ license: null, contact: 'help@tern.example' },
  },
  issued_at: '2026-11-20T14:15:06.000Z',
  wallet_part: '8722.88',
  instrument: { name: 'Visa', last4: '4242' },
  transaction: { ...transaction, ...change },
  price,
  delivered_at: '2026-11-20T14:15:06.000Z',
  owner: { username: 'ines', name: ownerName, country: 'US' },
})

const paid = (name: string): Pick<Transaction, 'counterparty'> => ({
  counterparty: { id: 2, username: 'w'.repeat(30), name, country: 'US' },
})
const dollarTransaction: Partial<Transaction> = {
  ...{ target_currency: 'USD', target_amount: '8800.00', rate: null, stablecoin_amount: null },
}
const sentence = 'The second half of the deposit, the repair of the boiler and the new lock, as we agreed. '
const fillDescription = (unit: string): string => unit.repeat(500).slice(0, 496)

/** Description of 500 characters that ends in a unique word. */
export const longNote = `${fillDescription(sentence).slice(0, 492)} zuletzt`

/** Receipts by what is difficult about them. */
export const difficultReceipts: Readonly<Record<string, Receipt>> = {
  'a short note': receiptWith(),
  'a note of 500 letters': receiptWith({ description: longNote }),
  'one word of 500 letters': receiptWith({ description: `${'W'.repeat(499)}Z` }),
  'a note of 166 lines': receiptWith({ description: `${'ab\n'.repeat(166)}Z` }),
  'names of 60 and 60 letters': receiptWith(
    { ...paid(`${'Wilhelmina'.repeat(6)} ${'M'.repeat(60)}`), description: longNote },
    `${'W'.repeat(60)} ${'Q'.repeat(60)}`,
  ),
  'such names in the title': receiptWith(
    { ...dollarTransaction, ...paid(`${'M'.repeat(60)} ${'Wilhelmina'.repeat(6)}`) },
    `${'W'.repeat(60)} ${'Q'.repeat(60)}`,
  ),
  'such names in Arabic': receiptWith(
    { ...dollarTransaction, ...paid(`${'محمد'.repeat(15)} ${'الله'.repeat(15)}`) },
    `${'משה'.repeat(20)} ${'כהן'.repeat(20)}`,
  ),
  'an Arabic note': receiptWith({
    ...paid('محمد عبد الرحمن'),
    description: 'شكراً على الإيجار (100 دولار) 2026. '.repeat(13),
  }),
  'a Chinese note': receiptWith({
    ...paid('山田 太郎'),
    description: fillDescription('十二月和一月的房租，连同押金的后半部分。'),
  }),
  'a Hindi, Thai and Tamil note': receiptWith({
    ...paid('राहुल शर्मा'),
    description: 'दिसंबर का किराया। สำหรับทุกอย่างน้ำ தமிழ் নমস্কার ગુજરાતી ខ្មែរ မြန်မာ ລາວ සිංහල አማርኛ ქართული հայերեն',
  }),
  'a note of pictures': receiptWith({ description: '🎉👩‍👩‍👧🇫🇷👍🏽❤️1️⃣'.repeat(20) }),
  'a picture of 160 joined ones': receiptWith({ description: Array.from({ length: 160 }, () => '👩').join('\u200d') }),
  'a letter with 480 marks': receiptWith({
    ...paid(`Z${'\u0301'.repeat(58)} A`),
    description: `Z${'\u0335'.repeat(480)}`,
  }),
  'letters that no typeface has': receiptWith({
    ...paid('𓀀𓀁 \u{f0000}'),
    description: '𓀀\u{10ffff}\ue000 \ufdfd\u{12031}',
  }),
  'halves of letters, controls and marks of direction': receiptWith({
    ...paid('\u202eA\ud800 \u200f'),
    description: 'a\ud83c\u0000\u0007\u202e\u2066b\u200d\u200c\ufeff\u00ad\u3164\u2028c\td\r\n\n\n\ne',
  }),
  'names of 60 lines': receiptWith(
    { ...dollarTransaction, ...paid('a\u2028'.repeat(60)), description: 'b\u2029'.repeat(80) },
    'a\u2028'.repeat(60),
  ),
  'names of pictures with variation selectors': receiptWith(
    { ...dollarTransaction, ...paid(`${'☎︎☎️'.repeat(15)} ${'1️⃣#️⃣'.repeat(10)}`), description: '☎︎☎️1️⃣#️⃣'.repeat(50) },
    `${'1️⃣#️⃣'.repeat(10)} ${'☎︎☎️'.repeat(15)}`,
  ),
  'a Persian, Urdu, Tibetan and Mongolian note': receiptWith({
    ...paid('می‌خواهم'),
    description: 'کرایهٔ آبان می‌خواهم نومبر کا کرایہ བོད་སྐད ᠮᠣᠩᠭᠣᠯ ᏣᎳᎩ ߒߞߏ ܫܠܡܐ ކުލި ㄱㅏ한글 '.repeat(6),
  }),
  'only what cannot be seen': receiptWith({ ...paid('\u3164 \u2800'), description: '\u200b\u2060\n \n\u00ad' }),
  'an amount of 18 decimals': receiptWith({ target_currency: 'ETH', target_amount: '1234567.123456789012345678' }),
  'an open send': { ...receiptWith({ status: 'PENDING', payment_source: 'bank' }), delivered_at: null },
  'a failed send': { ...receiptWith({ status: 'FAILED', description: '' }), delivered_at: null },
  'a deposit': {
    ...receiptWith({ transaction_type: 'DEPOSIT', counterparty: null, ...dollarTransaction }),
    price: null,
  },
}
