import { receipt as texts } from '@tern/messages/en/receipt'
import { expect, test } from 'vitest'
import type { Receipt, Transaction } from '../transactions.ts'
import { formatDuration, buildReceiptSheet, type ReceiptFormat } from './receipt-sheet.ts'

const format: ReceiptFormat = {
  texts,
  country: (code) => `the ${code}`,
  zone: 'America/Chicago',
  money: (amount, currency) => `${amount} ${currency}`,
  rate: (rate, source, target) => `1 ${source} = ${rate} ${target}`,
  percent: (basisPoints) => `${Number(basisPoints) / 100}%`,
  date: (at, zone) => `${at.toISOString().slice(0, 10)} ${zone}`,
  clock: (at, zone) => `${at.toISOString().slice(11, 19)} ${zone}`,
}

const transaction: Transaction = {
  ...{ id: '01a20289-bd22-711f-a95c-a469daac5eb6', transaction_id: '01a20289-bd22-711f-a95c-a469daac5eb6' },
  release_reason: null,
  hold_reason: null,
  ...{ timestamp: '2026-11-20T14:15:02.000Z', date: '2026-11-20T14:15:02.000Z', status: 'COMPLETED' },
  ...{ transaction_type: 'SEND', description: 'Rent', sender_id: 1, recipient_id: 2, payment_id: null, outside: null },
  counterparty: { id: 2, username: 'lucas', name: 'Lucas Moreau', country: 'FR' },
  ...{ amount: '404.00', currency: 'USD', source_amount: '400.00', source_currency: 'USD' },
  ...{ target_amount: '372.00', target_currency: 'EUR', stablecoin_amount: '400.00', rate: '0.93' },
  ...{ fee: '4.00', fee_currency: 'USD', payment_source: 'wallet', source_wallet_id: null, from_wallet_id: null },
  ...{ to_wallet_id: null, recipient_wallet_id: null, recipient_address: null },
}
const buildSheet = (
  change: Partial<Transaction> = {},
  delivered: string | null = '2026-11-20T14:16:10.000Z',
  overrides: Partial<Receipt> = {},
) => buildReceiptSheet(buildReceipt(change, delivered, overrides), format)

const buildReceipt = (
  change: Partial<Transaction>,
  delivered: string | null,
  overrides: Partial<Receipt>,
): Receipt => ({
  issuer: { name: 'Example Operator, Inc.', registration: null, license: null, contact: 'help@tern.example' },
  issued_at: '2026-11-20T14:16:10.000Z',
  wallet_part: null,
  instrument: null,
  transaction: { ...transaction, ...change },
  price: null,
  delivered_at: delivered,
  owner: { username: 'ines', name: 'Ines Okafor', country: 'US' },
  ...overrides,
})

test('a send between two countries has a route, both amounts and the time it took', () => {
  const { title, summary, paid, received, parties, map, countries } = buildSheet()
  expect([title, summary]).toEqual(['the US to the FR', 'Arrived in 68 seconds'])
  expect([paid, received]).toEqual([
    { caption: 'Ines paid', amount: '404.00 USD' },
    { caption: 'Lucas got', amount: '372.00 EUR' },
  ])
  expect(parties.map(({ name }) => name)).toEqual(['Ines Okafor', 'Lucas Moreau'])
  expect(parties.map(({ lines }) => lines)).toEqual([['the US'], ['the FR']])
  expect(countries).toMatchObject([
    { code: 'US', name: 'the US' },
    { code: 'FR', name: 'the FR' },
  ])
  expect([map?.sentence, map?.isDelivered]).toEqual(['Map of the route: the US to the FR.', true])
})

test('a country with one time zone has its own clock, also on the map; one with several has the reader’s', () => {
  const { parties, map } = buildSheet()
  expect(parties[0].timeLines[1]).toBe('14:15:02 America/Chicago')
  expect(parties[1].timeLines).toEqual(['2026-11-20 Europe/Paris', '14:16:10 Europe/Paris'])
  expect([map?.from.notes, map?.to.notes]).toEqual([[], ['14:16:10 Europe/Paris']])
})

test.each([
  ['the sender’s', null, 'FR'],
  ['the recipient’s', 'US', null],
  ['either', null, null],
  ['a country that no map shows', 'US', 'ZZ'],
])('without a known country, %s, the sheet has people and no map', (_whose, holderCountry, counterpartyCountry) => {
  const counterparty = { id: 2, username: 'lucas', name: 'Lucas Moreau', country: counterpartyCountry }
  const { title, map, parties, countries, notes } = buildSheet({ counterparty }, undefined, {
    owner: { username: 'ines', name: 'Ines Okafor', country: holderCountry },
  })
  expect([title, map, notes]).toEqual(['Ines to Lucas', undefined, []])
  expect(parties[0].lines).toEqual(holderCountry === null ? [] : ['the US'])
  expect(countries[1]?.code).toBe(counterpartyCountry === 'FR' ? 'FR' : undefined)
})

test('the currency of a payment says nothing about a place', () => {
  for (const currency of ['EUR', 'GBP', 'BTC', 'USDT'] as const) {
    expect(buildSheet({ target_currency: currency }).title).toBe('the US to the FR')
  }
})

test('the recipient reads what was sent, without the fee', () => {
  const { paid, received, parties, price } = buildSheet({ transaction_type: 'RECEIVE', fee: '0.00' })
  expect([paid.caption, paid.amount, received.caption]).toEqual(['Lucas sent', '400.00 USD', 'Ines got'])
  expect([parties[0].name, parties[0].lines]).toEqual(['Lucas Moreau', ['the FR']])
  expect(price.map(({ term }) => term)).toEqual(['Amount', 'Rate', 'Received'])
})

test('the parts of wallet and card add up to the total, and only the payer reads them', () => {
  const splitSource = { payment_source: 'wallet_partial' } as const
  const { paymentSources, price } = buildSheet(splitSource, undefined, { wallet_part: '150.00' })
  expect(paymentSources).toEqual([
    { term: 'Wallet', value: '150.00 USD' },
    { term: 'Card', value: '254.00 USD' },
  ])
  expect(price.find(({ isTotal }) => isTotal)?.value).toBe('404.00 USD')
  expect(buildSheet(splitSource).paymentSources, 'parts that are not known').toEqual([
    { term: 'Wallet, Card', value: '404.00 USD' },
  ])
  expect(buildSheet({ payment_source: 'bank' }).paymentSources).toEqual([{ term: 'Bank account', value: '404.00 USD' }])
  expect(buildSheet({ ...splitSource, transaction_type: 'RECEIVE', fee: '0.00' }, undefined).paymentSources).toEqual([])
})

test('a saved card or a linked account is named, a card typed in is not', () => {
  const cardPayment = { wallet_part: '150.00', instrument: { name: 'Visa', last4: '4242' } }
  const { paymentSources } = buildSheet({ payment_source: 'wallet_partial' }, undefined, cardPayment)
  expect(paymentSources.map(({ term }) => term)).toEqual(['Wallet', 'Visa ··4242'])
  const bank = { instrument: { name: 'Harbour Bank', last4: '6789' } }
  expect(buildSheet({ payment_source: 'bank' }, undefined, bank).paymentSources[0]?.term).toBe('Harbour Bank ··6789')
  expect(buildSheet({ payment_source: 'card' }).paymentSources[0]?.term).toBe('Card')
})

test('a past payment names the total paid, one under way the total to pay', () => {
  const totalTerm = (status: Transaction['status']) =>
    buildSheet({ status }, null).price.find(({ isTotal }) => isTotal)?.term
  expect([totalTerm('COMPLETED'), totalTerm('PENDING'), totalTerm('FAILED')]).toEqual([
    'Total paid',
    'Total to pay',
    'Total to pay',
  ])
})

test.each([
  ['1%', {}],
  ['0.5%', { target_currency: 'USD', fee: '2.00', stablecoin_amount: null, rate: null }],
  ['2%', { target_currency: 'BTC', fee: '8.00', stablecoin_amount: null }],
  ['0.5%', { target_currency: 'USD', source_amount: '1.00', fee: '0.01', stablecoin_amount: null, rate: null }],
  ['1%', { source_amount: '1.00', fee: '0.01' }],
] as const)('a fee of the price list is shown with its rate, %s', (percent, change) => {
  expect(buildSheet(change).price.find(({ term }) => term.startsWith('Fee'))?.term).toBe(`Fee, ${percent}`)
})

test('a fee outside the price list is shown without a rate', () => {
  expect(buildSheet({ fee: '4.01' }).price[1]?.term).toBe('Fee')
  expect(buildSheet({ source_amount: '0.10', fee: '0.01' }).price[1]?.term).toBe('Fee')
})

test('a conversion through the stablecoin is shown step by step, any other without steps', () => {
  expect(buildSheet().conversion.map(({ value }) => value)).toEqual(['400.00 USD', '400.00 USDT', '372.00 EUR'])
  expect(buildSheet({ stablecoin_amount: null }).conversion).toEqual([])
  expect(buildSheet({ target_currency: 'USDT', target_amount: '400.00' }).conversion).toEqual([])
})

test('the issuer omits details that are not configured', () => {
  const unalterableNote = 'The ledger entry behind this receipt cannot be altered.'
  expect(buildSheet().issuer).toEqual(['Issued by Example Operator, Inc. · help@tern.example', unalterableNote])
  const completeIssuer = { name: 'Example', registration: '123', license: 'MT 1, Authority', contact: 'a.example/help' }
  expect(buildSheet({}, undefined, { issuer: completeIssuer }).issuer[0]).toBe(
    'Issued by Example · registration 123 · MT 1, Authority · a.example/help',
  )
  const emptyIssuer = { name: null, registration: null, license: null, contact: null }
  expect(buildSheet({}, undefined, { issuer: emptyIssuer }).issuer).toEqual([unalterableNote])
})

test('an unknown duration is omitted', () => {
  const { summary, parties, map } = buildSheet({}, null)
  expect(summary).toBe('Completed')
  expect(parties[1].timeLines).toEqual(['Completed'])
  expect([map?.isDelivered, map?.to.notes]).toEqual([true, []])
})

test('strangers are shown by initials and username only', () => {
  const { received, parties } = buildSheet({ counterparty: { id: 2, username: 'lucas', name: 'L. M.', country: null } })
  expect([received.caption, parties[1].name]).toEqual(['lucas got', 'L. M. (lucas)'])
})

test('within one country there is no route, and the people are the title', () => {
  const counterparty = { id: 2, username: 'lucas', name: 'Lucas Moreau', country: 'US' }
  const sameCurrencyFields = { target_currency: 'USD', target_amount: '400.00', rate: null } as const
  const { title, summary, map, notes } = buildSheet({ ...sameCurrencyFields, counterparty })
  expect([title, summary, map?.isRoute]).toEqual(['Ines to Lucas', 'Arrived in 68 seconds', false])
  expect(map?.sentence).toBe('Map: the US.')
  expect(notes[0]).toContain('nothing to convert')
})

test('exchanges and withdrawals have a sheet without a map', () => {
  const exchangeFields = { counterparty: null, transaction_type: 'EXCHANGE', target_currency: 'ETH' } as const
  expect(buildSheet(exchangeFields)).toMatchObject({ map: undefined, title: 'USD to ETH' })
  expect(buildSheet({ ...exchangeFields, transaction_type: 'WITHDRAW', target_currency: 'USD' }).title).toBe(
    'Withdrawal',
  )
})

test('a pending transfer has a planned route, a failed one has none', () => {
  const pending = buildSheet({ status: 'PENDING' }, null)
  expect([pending.summary, pending.received.caption]).toEqual(['On its way. Not delivered yet.', 'Lucas gets'])
  expect([pending.map?.isRoute, pending.map?.isDelivered]).toEqual([true, false])
  const byBank = buildSheet({ status: 'PENDING', payment_source: 'bank' }, null)
  expect([byBank.received.caption, byBank.price.at(-1)?.term], 'priced once the bank has paid').toEqual([
    'Lucas gets about',
    'Estimated',
  ])
  const failedSheet = buildSheet({ status: 'FAILED' }, null)
  expect([failedSheet.summary, failedSheet.received.caption, failedSheet.map]).toEqual([
    'Not completed.',
    'Not delivered',
    undefined,
  ])
})

test.each([
  [0, 'under a second'],
  [1000, '1 second'],
  [119_999, '119 seconds'],
  [120_000, '2 minutes'],
  [7_200_000, '2 hours'],
  [255_600_000, '2 days'],
])('%d ms read %s', (ms, text) => expect(formatDuration(ms, texts)).toBe(text))
