import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'

// Each test damages a fact that is stored twice (losses, prices, reservations, legs, decisions, unconfirmed payments);
// the audit must find it.

let books: SoundBooks
beforeAll(async () => {
  books = await createSoundBooks({ withChecks: true })
})
afterAll(() => books.drop())

const [lossRule, legsRule, termsRule, quotedPriceRule, reservationRule, decisionRule, exemptionRule] = [
  'what the ledger lost is noted as losses',
  'legs of a posting count 0, 1, 2 … in the order of its entries',
  'transactions have the terms of their quote',
  'payments and transfers keep the price that was quoted',
  'prices that are kept are reserved',
  'decisions of the desk are in its log as their operators made them',
  'what passed without a proof is what was decided',
]

test('sound books have no fault', async () => {
  expect(await books.findBroken('select')).toEqual({})
})

const openLossSql = `kind = 'loss' and closed_at is null`
const crossCurrencyPaymentSql = `(select id from payment where status = 'completed' and locked_price ->> 'sourceCurrency' <> locked_price ->> 'targetCurrency')`
const higherRate = `jsonb_set(locked_price, '{rate,0}', to_jsonb(((locked_price #>> '{rate,0}')::numeric * 2)::text))`

test.each<readonly [what: string, damage: string, rule: string, sentence: string]>([
  [
    'an open loss removed',
    `delete from reconciliation_exception where ${openLossSql}`,
    lossRule,
    'its losses are nothing',
  ],
  [
    'an open loss lowered',
    `update reconciliation_exception set amount_minor = 1 where ${openLossSql}`,
    lossRule,
    'its losses are 1',
  ],
  [
    'an open loss raised',
    `update reconciliation_exception set amount_minor = amount_minor + 1 where ${openLossSql}`,
    lossRule,
    'its losses are',
  ],
  [
    'an open loss closed as recovered',
    `update reconciliation_exception set closed_at = now(), resolution = 'recovered' where ${openLossSql}`,
    lossRule,
    'and closed',
  ],
  [
    'the loss of a credit removed',
    `delete from reconciliation_exception x using dispute d where d.id = x.reference`,
    lossRule,
    'of its credit, and no loss is noted',
  ],
  [
    'legs that count from one',
    `update ledger.entry set leg = leg + 1 where posting_id = (select posting_id from ledger.entry where leg = 2 limit 1)`,
    legsRule,
    'numbered 1 to',
  ],
  [
    'a leg that is left out',
    `update ledger.entry set leg = leg + 1
      where leg > 0 and posting_id = (select posting_id from ledger.entry where leg = 2 limit 1)`,
    legsRule,
    'numbered 0 to',
  ],
  [
    'legs in another order',
    `update ledger.entry e set leg = last.leg - e.leg from (select posting_id, max(leg) as leg from ledger.entry group by 1) last
      where last.posting_id = e.posting_id`,
    legsRule,
    'after leg',
  ],
  [
    'the price of a quote that was used',
    `update quote set locked_price = ${higherRate} where id in (select quote_id from transaction)`,
    termsRule,
    'differs from quote',
  ],
  [
    'a quote that was used removed',
    `delete from quote where id in (select quote_id from transaction where status = 'COMPLETED')`,
    termsRule,
    'which is gone',
  ],
  [
    'the rate of a transfer for both parties',
    `update transaction set rate_numerator = rate_numerator * 2 where kind in ('SEND', 'RECEIVE') and rate_numerator is not null`,
    termsRule,
    'differs from quote',
  ],
  [
    'a rate within one currency',
    `update transaction set rate_numerator = 2, rate_denominator = 1 where source_currency = target_currency`,
    termsRule,
    'has a rate within one currency',
  ],
  [
    'the price of a payment',
    `update payment set locked_price = ${higherRate} where id in ${crossCurrencyPaymentSql} and quote_id is not null`,
    quotedPriceRule,
    'keeps another price',
  ],
  [
    'the price of a held transfer',
    `update transfer set locked_price = ${higherRate} where state = 'held' and quote_id is not null`,
    quotedPriceRule,
    'keeps another price',
  ],
  [
    'reservations removed with their totals',
    `delete from liquidity_reservation; delete from liquidity_total`,
    reservationRule,
    'reserves nothing',
  ],
  [
    'reservations made smaller with their totals',
    `update liquidity_reservation set minor = sign(minor);
     update liquidity_total t set (incoming, outgoing) = (select sum(greatest(minor, 0)), sum(greatest(-minor, 0))
       from liquidity_reservation r where r.currency = t.currency)`,
    reservationRule,
    'reserves',
  ],
  [
    'another decider at the desk',
    `update desk_decision set operator_id = gen_random_uuid() where seat = 'first'`,
    decisionRule,
    'the log says',
  ],
  [
    'a decision of the desk removed',
    `delete from desk_decision where seat = 'first'`,
    decisionRule,
    'the decision is gone',
  ],
  ['days of what passed wiped', 'delete from risk_payee_day', exemptionRule, ': 0 US cents counted'],
  ['decisions about what passed wiped', 'delete from risk_decision', exemptionRule, ', 0 decided'],
  ['counts of what passed wiped', 'delete from risk_profile', exemptionRule, 'no count of what passed'],
  [
    'counts of an account wiped whose payments were all confirmed',
    `delete from risk_profile; delete from risk_payee_day; update risk_decision set passed = false;
     update transaction set passed_by_room = false`,
    exemptionRule,
    'no count of what passed',
  ],
])('%s is found', async (_, damageSql, rule, sentence) => {
  expect(await books.findBroken(damageSql)).toMatchObject({ [rule]: expect.stringContaining(sentence) as string })
})
