import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'

// Each test damages rows, mostly without making the ledger itself inconsistent; the audit must find the damage.

let books: SoundBooks

beforeAll(async () => {
  books = await createSoundBooks()
})
afterAll(() => books.drop())

type Case = readonly [what: string, damage: string, expected: Record<string, string>]

async function expectBrokenRules(damageSql: string, expected: Record<string, string>): Promise<void> {
  const brokenRules = await books.findBroken(damageSql)
  for (const [rule, sentence] of Object.entries(expected)) {
    expect(brokenRules, rule).toMatchObject({ [rule]: expect.stringContaining(sentence) })
  }
}

/** SQL conditions for sends in one currency and between two. */
const sameCurrencySend = `kind = 'SEND' and description = 'Lunch' and source_currency = target_currency`
const crossCurrencySend = `kind = 'SEND' and description = 'Lunch' and source_currency <> target_currency`

/** Inserts a consistent posting with its entries and a transaction, as the tables' owner could. */
const forgeMovementSql = (from: string, to: string, minor: number, row: string) => `
  create temp table forged as select gen_random_uuid() as posting, gen_random_uuid() as reference, now() as at,
    (select a from ledger.account a where name = ${from}) as giver, (select a from ledger.account a where name = ${to}) as taker,
    (select w from wallet w join app_user u on u.id = w.user_id where u.username like 'anna%') as w;
  insert into ledger.posting (id, request_hash, kind, reference, created_at) select posting, 'x', 'deposit', reference, at from forged;
  insert into ledger.entry (account_id, version, posting_id, leg, amount, balance, created_at)
    select (giver).id, (giver).version + 1, posting, 0, -${minor}, (giver).balance - ${minor}, at from forged
    union all select (taker).id, (taker).version + 1, posting, 0, ${minor}, (taker).balance + ${minor}, at from forged;
  update ledger.account set balance = balance - ${minor}, version = version + 1 where name = ${from};
  update ledger.account set balance = balance + ${minor}, version = version + 1 where name = ${to};
  insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id, from_wallet_id,
      to_wallet_id, description, source_amount, source_currency, target_amount, target_currency, fee_amount, fee_currency,
      payment_source, payment_id) ${row}`
const annaWalletSql = `(select 'wallet:' || w.id || ':USD' from wallet w join app_user u on u.id = w.user_id where u.username like 'anna%')`
const depositRowSql = (minor: number, source: string) => `
  select (w).user_id, reference, posting, 'DEPOSIT', 'COMPLETED', at, null, (w).user_id, (w).id, null, (w).id, 'card_deposit',
    ${minor}, 'USD', ${minor}, 'USD', 0, 'USD', 'card', ${source} from forged`

describe('entries and rows', () => {
  test.each<Case>([
    [
      'a pending transaction closed while its money is still held',
      `update transaction set status = 'COMPLETED' where kind = 'WITHDRAW' and status = 'PENDING'`,
      {
        'everything held belongs to a pending transaction': 'holds 1000',
        'rows and entries tell the same story': 'hold',
      },
    ],
    [
      'a transaction closed as failed though its money is gone',
      `update transaction set status = 'FAILED' where kind = 'WITHDRAW' and status = 'COMPLETED'`,
      { 'rows and entries tell the same story': 'wallet changed by -' },
    ],
    [
      'a row that shows another amount',
      `update transaction set target_amount = target_amount + 1 where kind = 'RECEIVE' and target_currency = 'EUR'`,
      { 'rows and entries tell the same story': 'its row says', 'both parties see the same transfer': 'differs' },
    ],
    [
      'a row that hides a fee',
      `update transaction set fee_amount = 0 where ${crossCurrencySend}`,
      {
        'rows and entries tell the same story': 'changed by -1212 USD, its row says -1200',
        'fees, desks and the outside moved as the rows say': 'fee changed by 12 USD, its row says nothing',
        'both parties see the same transfer': 'differs',
      },
    ],
    [
      'a fee that both rows call a part of what was sent',
      `update transaction set source_amount = source_amount + fee_amount, fee_amount = 0
        where id = (select id from transaction where ${sameCurrencySend})`,
      {
        'fees, desks and the outside moved as the rows say': 'fee changed by 5 USD, its row says nothing',
      },
    ],
    [
      'a row that names another posting',
      `update transaction set posting_id = gen_random_uuid() where kind = 'DEPOSIT' and status = 'COMPLETED'`,
      { 'every transaction row has its posting': 'of user' },
    ],
    [
      'a row removed',
      `delete from transaction where kind = 'RECEIVE' and target_currency = 'EUR'`,
      {
        'every posting of a user is in their list': 'of wallet',
        'rows and entries tell the same story': 'its row says nothing',
        'both parties see the same transfer': 'was sent and never received',
      },
    ],
    [
      'the row of a sender removed',
      `delete from transaction where ${sameCurrencySend}`,
      { 'both parties see the same transfer': 'was received and never sent' },
    ],
    [
      'a row made up',
      `insert into transaction (user_id, id, posting_id, kind, status, created_at, wallet_id, description,
         source_amount, source_currency, target_amount, target_currency, fee_amount, fee_currency)
       values (1, gen_random_uuid(), gen_random_uuid(), 'DEPOSIT', 'COMPLETED', now(), gen_random_uuid(), 'card_deposit', 5, 'USD', 5, 'USD', 0,
         'USD')`,
      {
        'every transaction row has its posting': 'of user 1',
        'rows and entries tell the same story': 'its row says 5',
        'rows name their user, the parties and their wallets': 'of user 1',
        'rows fit the payment or payout they name': 'of user 1',
      },
    ],
    [
      'a deposit forged out of an exchange desk',
      forgeMovementSql(`'bridge:USD'`, annaWalletSql, 100_000, depositRowSql(100_000, 'null')),
      {
        'fees, desks and the outside moved as the rows say': 'desk changed by -100000 USD, its row says nothing',
        'rows fit the payment or payout they name': 'DEPOSIT',
      },
    ],
    [
      'a deposit forged out of an exchange desk that names a payment',
      forgeMovementSql(
        `'bridge:USD'`,
        annaWalletSql,
        50_000,
        depositRowSql(50_000, `(select id from payment where amount_minor = 50000)`),
      ),
      {
        'fees, desks and the outside moved as the rows say': 'card_settlement changed by 0 USD, its row says -50000',
        'rows fit the payment or payout they name': 'DEPOSIT',
      },
    ],
    [
      'a deposit forged out of what a card provider owes',
      forgeMovementSql(`'card:USD'`, annaWalletSql, 100_000, depositRowSql(100_000, 'null')),
      {
        'what moved between us and a provider is noted by its id': 'noted is nothing',
        'rows fit the payment or payout they name': 'DEPOSIT',
      },
    ],
  ])('%s is found', (_, damageSql, expected) => expectBrokenRules(damageSql, expected))
})

describe('people and times in rows', () => {
  const partiesRule = 'rows name their user, the parties and their wallets'
  const bothPartiesRule = 'both parties see the same transfer'
  const matchingRowsRule = 'rows fit the payment or payout they name'
  const dora = `(select id from app_user where username like 'dora%')`
  test.each<Case>([
    [
      'another recipient in the row of the sender',
      `update transaction set recipient_id = ${dora} where ${sameCurrencySend}`,
      { [bothPartiesRule]: 'differs', [partiesRule]: 'of user' },
    ],
    [
      'another recipient in both rows, wallet and all',
      `update transaction set recipient_id = ${dora}, to_wallet_id = (select id from wallet where user_id = ${dora})
        where id = (select id from transaction where ${sameCurrencySend})`,
      { [partiesRule]: 'of user' },
    ],
    [
      'another sender in the row of the recipient',
      `update transaction set sender_id = ${dora} where kind = 'RECEIVE'`,
      { [bothPartiesRule]: 'differs', [partiesRule]: 'of user' },
    ],
    [
      'a row given to another user',
      `update transaction set user_id = ${dora} where kind = 'EXCHANGE' and user_id <> ${dora} and target_currency = 'BTC'`,
      { [partiesRule]: 'of user' },
    ],
    [
      'another time in one row',
      `update transaction set created_at = created_at - interval '1 second' where ${sameCurrencySend}`,
      { 'rows carry the time of their posting': 'of user' },
    ],
    [
      'another time of an announced debit',
      `update transaction set created_at = created_at - interval '1 day' where payment_source = 'bank' and kind = 'DEPOSIT'
         and status = 'PENDING'`,
      { 'rows carry the time of their posting': 'of user' },
    ],
    [
      'another description for the recipient',
      `update transaction set description = 'Rent' where kind = 'RECEIVE' and description = 'Lunch'`,
      { [bothPartiesRule]: 'differs' },
    ],
    [
      'another description of a send that a card paid',
      `update transaction set description = 'Rent' where kind = 'SEND'
         and id in (select transaction_id from payment where purpose = 'send')`,
      { [matchingRowsRule]: 'SEND' },
    ],
    [
      'another description of a withdrawal',
      `update transaction set description = 'withdrawal {"bank":"Other Bank","last4":"0000"}' where kind = 'WITHDRAW' and description like 'withdrawal %'`,
      { [matchingRowsRule]: '7 broken: WITHDRAW' },
    ],
    [
      'another description of what was taken back',
      `update transaction set description = 'card_payment_refunded' where description = 'card_payment_taken_back'`,
      { [matchingRowsRule]: 'WITHDRAW' },
    ],
    [
      'another description of an exchange',
      `update transaction set description = 'exchange {"from":"USD","to":"EUR"}' where kind = 'EXCHANGE'`,
      { [matchingRowsRule]: 'EXCHANGE' },
    ],
    [
      'another rate for the recipient',
      `update transaction set rate_numerator = rate_numerator + 1 where kind = 'RECEIVE' and rate_numerator is not null`,
      { [bothPartiesRule]: 'differs' },
    ],
  ])('%s is found', (_, damageSql, expected) => expectBrokenRules(damageSql, expected))
})

describe('money from and to the outside', () => {
  const paymentMoneyRule = 'payments stand as their money moved'
  const referenceRule = 'what moved between us and a provider is noted by its id'
  const ownerRule = 'what is noted is of a payment or a payout'
  const matchingRowsRule = 'rows fit the payment or payout they name'
  const userListRule = 'payments and payouts are in the list of their user'
  const captureReferenceSql = `(select l.reference from settlement_line l where l.kind = 'capture' and l.amount_minor = 50000)`
  test.each<Case>([
    [
      'a captured deposit set to failed',
      `update payment set status = 'failed', reason = 'failed' where id = ${captureReferenceSql}`,
      { [paymentMoneyRule]: 'is failed, and 50000 of 50000 USD are here' },
    ],
    [
      'a captured deposit set to failed as if it had come too late',
      `update payment set status = 'failed', reason = 'late' where id = ${captureReferenceSql}`,
      { [paymentMoneyRule]: 'is failed' },
    ],
    [
      'a captured send set to failed as if it had come too late',
      `update payment set status = 'failed', reason = 'late' where purpose = 'send' and status = 'completed' and method = 'card' and not holds_transfer`,
      { [matchingRowsRule]: 'SEND', [userListRule]: 'of user' },
    ],
    [
      'a failed payment set to completed',
      `update payment set status = 'completed' where status = 'failed' and capture_id is null`,
      { [paymentMoneyRule]: 'is completed, and 0 of' },
    ],
    [
      'a chargeback that was forgotten in the payment',
      `update payment set status = 'reversed' where id in (select reference from settlement_line where kind = 'refund')`,
      { [paymentMoneyRule]: 'is reversed' },
    ],
    [
      'a payment removed',
      `delete from payment where id = ${captureReferenceSql}`,
      { [ownerRule]: 'is of', [matchingRowsRule]: 'DEPOSIT' },
    ],
    [
      'the cost of a payout changed',
      `update payout set fee_minor = 1, card_minor = 1 where status = 'completed'`,
      { [matchingRowsRule]: 'WITHDRAW' },
    ],
    [
      'a payout removed',
      `delete from payout where status = 'completed'`,
      { [ownerRule]: 'is of', [matchingRowsRule]: 'WITHDRAW' },
    ],
    ['a pending payout removed', `delete from payout where status = 'pending'`, { [matchingRowsRule]: 'WITHDRAW' }],
    [
      'a paid payout set to failed',
      `update payout set status = 'failed' where status = 'completed'`,
      { 'payouts stand as their money moved': 'is failed', [matchingRowsRule]: 'WITHDRAW' },
    ],
    [
      'a payout to somebody else',
      `update payout set user_id = (select id from app_user where username like 'dora%') where status = 'completed'`,
      { [matchingRowsRule]: 'WITHDRAW', [userListRule]: 'of user' },
    ],
    [
      'an announced debit that was removed from the list',
      `delete from transaction where kind = 'DEPOSIT' and status = 'PENDING'`,
      { [userListRule]: 'of user' },
    ],
    [
      'a row still pending though its bank debit has failed',
      `update transaction set status = 'PENDING' where kind = 'DEPOSIT' and status = 'FAILED'`,
      { 'every transaction row has its posting': 'of user', [matchingRowsRule]: 'DEPOSIT' },
    ],
    [
      'a payment of another amount',
      `update payment set amount_minor = amount_minor + 1 where id = ${captureReferenceSql}`,
      { [paymentMoneyRule]: 'is completed, and 50000 of 50001', [matchingRowsRule]: 'DEPOSIT' },
    ],
    [
      'a capture that was not noted',
      `delete from settlement_line where amount_minor = 50000`,
      { [referenceRule]: 'noted is nothing', [paymentMoneyRule]: 'is completed, and 0 of' },
    ],
    [
      'a capture that was noted with another amount',
      `update settlement_line set amount_minor = amount_minor + 1 where amount_minor = 50000`,
      { [referenceRule]: 'noted is 50001', [paymentMoneyRule]: 'are here' },
    ],
    [
      'money taken back that was shared wrongly between wallet and fee',
      `create temp table moved as select e.posting_id from ledger.entry e join ledger.account a on a.id = e.account_id
         join settlement_line l on l.posting_id = e.posting_id and l.kind = 'refund' where a.name = 'fee:EUR';
       update ledger.entry set amount = amount + case when amount < 0 then -1 else 1 end
        where (posting_id, leg) in (select e.posting_id, e.leg from ledger.entry e join ledger.account a on a.id = e.account_id
          where e.posting_id in (select posting_id from moved) and a.name = 'fee:EUR');
       update ledger.entry set amount = amount + case when amount < 0 then 1 else -1 end
        where (posting_id, leg) in (select e.posting_id, e.leg from ledger.entry e join ledger.account a on a.id = e.account_id
          where e.posting_id in (select posting_id from moved) and a.name = 'bridge:EUR')`,
      { 'what was taken back is the same share of every part': 'fee gave back' },
    ],
  ])('%s is found', (_, damageSql, expected) => expectBrokenRules(damageSql, expected))
})

/** Erases movements as the tables' owner could, and recomputes versions and balances. */
const eraseReferencesSql = (references: string) => `
  create temp table erased as select id as posting, reference from ledger.posting where reference in (${references});
  create temp table kept as select * from ledger.entry where posting_id not in (select posting from erased);
  delete from ledger.entry;
  insert into ledger.entry (account_id, version, posting_id, leg, amount, balance, created_at)
    select account_id, row_number() over history, posting_id, leg, amount, sum(amount) over history, created_at from kept
    window history as (partition by account_id order by version);
  update ledger.account a set version = coalesce(e.version, 0), balance = coalesce(e.balance, 0) from ledger.account b
    left join (select distinct on (account_id) account_id, version, balance from ledger.entry order by account_id, version desc) e
      on e.account_id = b.id where a.id = b.id;
  delete from ledger.posting where id in (select posting from erased);
  delete from transaction where id in (select reference from erased)`

describe('single-use tokens and daily limits', () => {
  const usageRule = 'limit usage is what was counted'
  const usageByMethodRule = 'limit usage by method is what was counted'
  const tokensRule = 'used tokens have the posting and the holder that used them'
  const quotesRule = 'quotes move money once'
  test.each<Case>([
    [
      'a send erased, with everything renumbered',
      eraseReferencesSql(`select id from transaction where ${sameCurrencySend}`),
      { [usageRule]: 'US cents' },
    ],
    [
      'a send at a quote erased, with everything renumbered and its usage taken back',
      `update limit_usage set usd_minor = usd_minor - 1200, movements = movements - 1 where user_id = (select user_id from transaction where ${crossCurrencySend});
       ${eraseReferencesSql(`select id from transaction where ${crossCurrencySend}`)}`,
      { [tokensRule]: 'was used by a posting that is gone' },
    ],
    ['usage set to zero', 'update limit_usage set usd_minor = 0', { [usageRule]: ': 0 of ' }],
    ['usage removed', 'delete from limit_usage', { [usageRule]: ': 0 of ' }],
    ['a little less usage', 'update limit_usage set usd_minor = usd_minor - 1', { [usageRule]: 'US cents' }],
    [
      'a movement that is not counted',
      'update limit_usage set movements = movements - 1',
      { [usageRule]: 'movements' },
    ],
    [
      'pulls that are not counted',
      `delete from limit_usage_by_method where method = 'card'`,
      { [usageByMethodRule]: 'by card: 0 of' },
    ],
    [
      'an exchange that is not counted',
      `update limit_usage_by_method set usd_minor = 0 where method = 'exchange'`,
      { [usageByMethodRule]: 'by exchange: 0 of' },
    ],
    [
      'a send that says it counted nothing',
      `update ledger.posting set quota_amount = null
        where reference = (select id from transaction where kind = 'SEND' and status = 'COMPLETED' and payment_source = 'wallet'
          order by id desc limit 1)`,
      { [usageRule]: 'a movement counted nothing' },
    ],
    [
      'a quote used by two movements',
      `update transaction set quote_id = (select quote_id from transaction where ${crossCurrencySend})
        where kind = 'EXCHANGE' and target_currency = 'BTC'`,
      { [quotesRule]: 'is named by 2 movements' },
    ],
    [
      'a used token that was made free again',
      `delete from ledger.token where id = (select quote_id from transaction where ${crossCurrencySend})`,
      { [quotesRule]: 'was not used up by' },
    ],
    [
      'a token that another movement has used up',
      `update ledger.token set posting_id = (select posting_id from transaction where ${sameCurrencySend})
        where id = (select quote_id from transaction where ${crossCurrencySend})`,
      { [quotesRule]: 'was not used up by', [tokensRule]: 'was used by another than its holder' },
    ],
    [
      'a token in the name of another holder',
      `update ledger.token set holder = gen_random_uuid() where posting_id is not null`,
      { [tokensRule]: 'was used by another than its holder' },
    ],
    [
      'a token reserved for nobody',
      `insert into ledger.token (id, holder) values (gen_random_uuid(), gen_random_uuid())`,
      { [tokensRule]: 'which is not pending' },
    ],
  ])('%s is found', (_, damageSql, expected) => expectBrokenRules(damageSql, expected))
})

describe('what was ordered for later', () => {
  const scheduleRule = 'scheduled sends are transactions as their owner agreed to'
  test.each<Case>([
    [
      'a scheduled send without its transaction',
      `update schedule_occurrence set transaction_id = gen_random_uuid() where state = 'sent'`,
      { [scheduleRule]: 'was sent as nothing' },
    ],
    [
      'a scheduled send that cost something else',
      `update schedule_occurrence set total_minor = total_minor - 1 where state = 'sent'`,
      { [scheduleRule]: 'was sent as SEND of 201' },
    ],
    [
      'a scheduled send that cost more than its owner agreed to',
      `alter table schedule_occurrence drop constraint schedule_occurrence_within_ceiling;
       update schedule_occurrence set ceiling_minor = total_minor - 1 where state = 'sent'`,
      { [scheduleRule]: 'was sent as SEND of 201' },
    ],
    [
      'a scheduled send to somebody else',
      `update schedule set payee_id = (select id from app_user where id not in (user_id, payee_id) limit 1)`,
      { [scheduleRule]: 'was sent as SEND of 201' },
    ],
  ])('%s is found', (_, damageSql, expected) => expectBrokenRules(damageSql, expected))
})

describe('what is held', () => {
  const holdRule = 'held transfers hold their money, and others none'
  const senderRule = 'transfers stand as their sender sees them'
  const paymentStateRule = 'transfers stand as their payment or payout'
  const decidedBySenderSql = `decided_by = 'sender', decided_at = now()`
  test.each<Case>([
    [
      'a held transfer that says it has settled',
      `update transfer set state = 'settled', ${decidedBySenderSql} where state = 'held' and kind = 'wallet_send'`,
      { [holdRule]: 'is settled and holds 404 of 404 USD', [senderRule]: 'is settled and PENDING' },
    ],
    [
      'a held transfer without its row',
      `delete from transfer where state = 'held' and kind = 'exchange'`,
      { 'rows fit the payment or payout they name': 'EXCHANGE' },
    ],
    [
      'a held transfer of another amount',
      `update transfer set amount_minor = amount_minor + 1 where state = 'held'`,
      { [holdRule]: 'of 405 USD', [senderRule]: 'is held and PENDING' },
    ],
    [
      'a held transfer to somebody else',
      `update transfer set recipient_id = sender_id where state = 'held' and kind = 'wallet_send'`,
      { [senderRule]: 'is held and PENDING' },
    ],
    [
      'a released transfer that says it has settled',
      `update transfer set state = 'settled', release_reason = null where state = 'released' and kind = 'wallet_send'`,
      { [senderRule]: 'is settled and FAILED', 'limit usage is what was counted': 'US cents' },
    ],
    [
      'a held payout that was ordered',
      `update payout set status = 'pending' where status = 'held'`,
      { [paymentStateRule]: 'is held and pending' },
    ],
    [
      'a held payout without a transfer',
      `delete from transfer where state = 'held' and kind = 'payout'`,
      { [paymentStateRule]: 'is held without a transfer' },
    ],
    [
      'a captured send that says it awaits its funding',
      `update transfer set state = 'awaiting_funding', held_at = null where state = 'held' and kind = 'funded_send'`,
      { [holdRule]: 'is awaiting_funding and holds', [paymentStateRule]: 'is awaiting_funding and completed' },
    ],
    [
      'a payment that forgets that it holds a transfer',
      `update payment set holds_transfer = false where holds_transfer`,
      { [paymentStateRule]: 'without its payment or payout' },
    ],
  ])('%s is found', (_, damageSql, expected) => expectBrokenRules(damageSql, expected))
})
