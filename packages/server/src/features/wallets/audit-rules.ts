// Audit rules: users' rows agree with the ledger, and the two rows of a transfer agree with each other.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'

/** Settlement line kinds of reversals and their undoing. */
export const reversalKinds = `('refund', 'chargeback', 'debit_return', 'chargeback_reversal')`

const isReversal = (posting: string) =>
  `exists (select from settlement_line l where l.posting_id = ${posting} and l.kind in ${reversalKinds})`

/** SQL condition: the posting repays a loss. Such a posting has the id of the loss's exception. */
export const isLossPaid = (posting: string) =>
  `exists (select from reconciliation_exception x where x.id = ${posting} and x.kind = 'loss')`

// All accounts of the exchange desk count as one.
const accountGroup = `case when a.kind in ('bridge', 'bridge_stablecoin', 'rounding') then 'desk' else a.kind end`

/** SQL: net change per account, or group of system accounts, by reference. */
const actualSql = (where: string) => `
  select p.reference, ${accountGroup} as account,
      case when a.kind in ('wallet', 'hold') then split_part(a.name, ':', 2) end as owner, a.currency, sum(e.amount) as change
    from ledger.entry e
    join ledger.account a on a.id = e.account_id
    join ledger.posting p on p.id = e.posting_id
   where ${where}
   group by 1, 2, 3, 4`

// SQL: transactions with their funding. A send by card or bank is paid by `funded` from outside and `part` from the
// wallet; a held one by the wallet alone, because its payment became a deposit. `fee_back` is the fee that a returned
// payout or a dispute gives back, less what disputes gave back before; `fee_again` is the fee that a reversed credit
// takes again. A held deposit is on hold from its arrival, and returned by a payout.
const rowsWithFunding = `
  select t.*, t.source_amount + t.fee_amount as total, t.status = 'COMPLETED' as is_done, t.status = 'PENDING' as is_open,
      coalesce(p.amount_minor, 0) as funded, coalesce(p.wallet_part_minor, t.source_amount + t.fee_amount) as part,
      case when p.method = 'bank' then 'bank_settlement' else 'card_settlement' end as funded_by,
      coalesce(o.fee_minor - (select coalesce(sum(r.fee_minor), 0) from dispute_posting r
        where r.posting_id = t.posting_id and r.kind = 'recovered'), case t.kind when 'DEPOSIT' then y.fee_minor end, 0) as fee_back,
      case t.kind when 'WITHDRAW' then coalesce(y.fee_minor, 0) else 0 end as fee_again,
      h.kind = 'deposit' and h.state in ('held', 'processing') as is_held_deposit
    from transaction t
    left join transfer h on h.id = t.id and h.held_at is not null
    left join payment p on p.id = t.payment_id and t.kind = 'SEND' and h.id is null
    left join payout o on o.id = t.payment_id and t.kind = 'DEPOSIT'
    left join dispute_posting y on y.transaction_id = t.id`

/** SQL: changes in wallet and hold accounts that users' rows state. */
const statedUserBalanceSql = `
  select t.id as reference, s.account, t.wallet_id::text as owner, s.currency, sum(s.change) as change
    from (${rowsWithFunding}) t
    cross join lateral (values
      ('wallet', t.source_currency, case
        when t.kind = 'SEND' then case when t.is_done then t.funded - t.total when t.is_open then -t.part end
        when t.kind in ('EXCHANGE', 'WITHDRAW') and (t.is_done or t.is_open) then -t.total end),
      ('wallet', t.target_currency, case
        when t.kind in ('RECEIVE', 'DEPOSIT', 'EXCHANGE') and t.is_done then t.target_amount end),
      ('hold', t.source_currency, case when t.is_open then
        case when t.kind = 'SEND' then t.part when t.kind in ('EXCHANGE', 'WITHDRAW') or t.is_held_deposit then t.total end end)
    ) as s(account, currency, change)
   where s.change <> 0
   group by 1, 2, 3, 4`

/** SQL condition: the row belongs to a dispute. Its money, without the fee, comes from or goes to the loss account. */
const disputeRowSql = `exists (select from dispute_posting d where d.transaction_id = t.id)`

/**
 * SQL: changes in fee, desk, loss and settlement accounts that payers' rows, held deposits, orders to venues and
 * recovered dispute money state. Other rules check reversals.
 */
const statedSystemBalanceSql = `
  select reference, account, owner, currency, sum(change) as change from (
    select t.id as reference, s.account, null::text as owner, s.currency, s.change
      from (${rowsWithFunding}) t
      cross join lateral (values
        ('fee', t.fee_currency, t.fee_amount),
        ('fee', t.source_currency, t.fee_again - t.fee_back),
        ('desk', t.source_currency, case when t.source_currency <> t.target_currency then t.source_amount end),
        ('desk', t.target_currency, case when t.source_currency <> t.target_currency then -t.target_amount end),
        ('loss', t.source_currency, case when ${isLossPaid('t.posting_id')} then t.total - t.fee_again end),
        (t.funded_by, t.source_currency, case t.kind when 'SEND' then -t.funded end),
        (case when ${disputeRowSql} then 'loss'
              when exists (select from payout o where o.id = t.payment_id) then 'payout_settlement'
              when t.payment_source = 'bank' then 'bank_settlement' else 'card_settlement' end,
          t.source_currency, case t.kind when 'DEPOSIT' then t.fee_back - t.total end),
        (case when ${disputeRowSql} then 'loss' else 'payout_settlement' end,
          t.source_currency, case when t.kind = 'WITHDRAW' and not ${isLossPaid('t.posting_id')} then t.source_amount - t.fee_again end)
      ) as s(account, currency, change)
     where t.kind <> 'RECEIVE' and t.is_done and not ${isReversal('t.posting_id')}
    union all
    select h.id, s.account, null, h.currency, s.change
      from transfer h
      cross join lateral (values ('bank_settlement', -h.amount_minor),
        ('payout_settlement', case h.state when 'released' then h.amount_minor end)) as s(account, change)
     where h.kind = 'deposit' and h.state in ('held', 'processing', 'released')
    union all
    select o.id, s.account, null, s.currency, s.change
      from treasury_order o
      cross join lateral (values
        ('desk', o.sell_currency, -o.sold_minor),
        ('venue_settlement', o.sell_currency, o.sold_minor),
        ('desk', o.buy_currency, o.bought_minor),
        ('venue_settlement', o.buy_currency, -o.bought_minor)
      ) as s(account, currency, change)
     where o.state = 'filled'
    union all
    select c.payout_id, s.account, null, s.currency, case c.kind when 'payout' then s.change else -s.change end
      from payout_conversion c
      cross join lateral (values
        ('payout_settlement', c.currency, -c.amount_minor),
        ('desk', c.currency, c.amount_minor),
        ('desk', c.cost_currency, -c.cost_minor),
        ('payout_settlement', c.cost_currency, c.cost_minor)
      ) as s(account, currency, change)
    union all
    select p.reference, s.account, null, d.currency, s.change
      from dispute_posting d join ledger.posting p on p.id = d.posting_id
      cross join lateral (values ('payout_settlement', d.fee_minor - d.amount_minor), ('loss', d.amount_minor - d.fee_minor)) as s(account, change)
     where d.kind = 'recovered'
  ) stated
   where change <> 0
   group by 1, 2, 3, 4`

const differences = (statedSql: string, where: string) => `
  select coalesce(actual.reference, stated.reference) || ': ' || coalesce(actual.account, stated.account) || ' changed by '
      || coalesce(actual.change, 0) || ' ' || coalesce(actual.currency, stated.currency) || ', its row says '
      || coalesce(stated.change::text, 'nothing') as subject
    from (${actualSql(where)}) actual
    full join (${statedSql}) stated on stated.reference = actual.reference and stated.account = actual.account
      and stated.owner is not distinct from actual.owner and stated.currency = actual.currency
   where coalesce(actual.change, 0) <> coalesce(stated.change, 0)`

// Rows of a payment in progress precede its posting, which may never be made.
const paymentRowSql = `(m.id = t.payment_id and m.user_id = t.user_id and m.is_listed and t.kind in ('SEND', 'DEPOSIT')
  or m.transaction_id = t.id and m.recipient_id = t.user_id and m.is_announced and t.kind = 'RECEIVE')`
const isAnnouncement = `p.id is null and exists (
  select from payment m
   where ${paymentRowSql}
     and ((t.status = 'PENDING' and m.status in ('pending', 'needs_review'))
       or (t.status = 'FAILED' and m.status not in ('pending', 'needs_review'))))`

const entryRules: readonly AuditRule[] = [
  {
    name: 'everything held belongs to a pending transaction',
    scope: `select count(*) from ledger.account where kind = 'hold' and balance <> 0`,
    broken: `select a.name || ' holds ' || sum(e.amount) || ' for ' || p.reference as subject
      from ledger.entry e
      join ledger.account a on a.id = e.account_id and a.kind = 'hold'
      join ledger.posting p on p.id = e.posting_id
      group by a.name, p.reference
      having sum(e.amount) < 0 or (sum(e.amount) > 0 and not exists (
        select from transaction t
         where t.id = p.reference and t.status = 'PENDING' and t.wallet_id::text = split_part(a.name, ':', 2)))`,
  },
  {
    name: 'every transaction row has its posting',
    scope: 'select count(*) from transaction',
    broken: `select t.id || ' of user ' || t.user_id as subject from transaction t
      left join ledger.posting p on p.id = t.posting_id
      where p.reference is distinct from t.id and not (${isAnnouncement})`,
  },
  {
    name: 'rows and entries tell the same story',
    scope: 'select count(*) from transaction',
    broken: differences(statedUserBalanceSql, `a.kind in ('wallet', 'hold')`),
  },
  {
    name: 'fees, desks and the outside moved as the rows say',
    scope: `select count(*) from transaction where kind <> 'RECEIVE'`,
    broken: differences(
      statedSystemBalanceSql,
      `a.kind not in ('wallet', 'hold') and not ${isReversal('e.posting_id')}
        and not exists (select from operator_line o where o.posting_id = e.posting_id)`,
    ),
  },
  {
    name: 'every posting of a user is in their list',
    scope: `select count(distinct (e.posting_id, split_part(a.name, ':', 2))) from ledger.entry e
      join ledger.account a on a.id = e.account_id and a.kind in ('wallet', 'hold')`,
    broken: `select distinct p.reference || ' of wallet ' || split_part(a.name, ':', 2) as subject from ledger.entry e
      join ledger.account a on a.id = e.account_id and a.kind in ('wallet', 'hold')
      join ledger.posting p on p.id = e.posting_id
      where not exists (select from transaction t where t.id = p.reference and t.wallet_id::text = split_part(a.name, ':', 2))`,
  },
]

// Columns that must be equal for both parties of a transfer.
const sharedColumns = `sender_id, recipient_id, from_wallet_id, to_wallet_id, description, source_amount, source_currency, target_amount,
  target_currency, stablecoin_amount, rate_numerator, rate_denominator, fee_amount, fee_currency, quote_id`
const qualifySharedColumns = (row: string) => sharedColumns.replaceAll(/\w+/g, (column) => `${row}.${column}`)

const rowOnlyRules: readonly AuditRule[] = [
  {
    name: 'both parties see the same transfer',
    scope: `select count(*) from transaction where kind = 'SEND'`,
    broken: `select coalesce(s.id, r.id) || case when s.id is null then ' was received and never sent'
        when r.id is null then ' was sent and never received' else ' differs for sender and recipient' end as subject
      from (select * from transaction where kind = 'SEND') s
      full join (select * from transaction where kind = 'RECEIVE') r using (id)
      where s.id is null or (r.id is null and s.status = 'COMPLETED') or (r.id is not null and (s.status <> r.status
        or (${qualifySharedColumns('s')}) is distinct from (${qualifySharedColumns('r')})))`,
  },
  {
    name: 'rows name their user, the parties and their wallets',
    scope: 'select count(*) from transaction',
    broken: `select t.id || ' of user ' || t.user_id as subject from transaction t
      left join wallet own on own.id = t.wallet_id
      left join wallet giver on giver.id = t.from_wallet_id
      left join wallet taker on taker.id = t.to_wallet_id
      where own.user_id is distinct from t.user_id or giver.user_id is distinct from t.sender_id
        or taker.user_id is distinct from t.recipient_id
        or (t.kind in ('SEND', 'WITHDRAW', 'EXCHANGE') and t.from_wallet_id is distinct from t.wallet_id)
        or (t.kind in ('RECEIVE', 'DEPOSIT', 'EXCHANGE') and t.to_wallet_id is distinct from t.wallet_id)
        or (t.kind in ('SEND', 'RECEIVE') and (giver.user_id is null or taker.user_id is null or giver.user_id = taker.user_id))
        or (t.kind = 'DEPOSIT' and t.sender_id is not null) or (t.kind = 'WITHDRAW' and t.recipient_id is not null)`,
  },
  {
    // Rows of a payment keep the time of its order.
    name: 'rows carry the time of their posting',
    scope: 'select count(*) from transaction',
    broken: `select t.id || ' of user ' || t.user_id as subject from transaction t
      left join ledger.posting p on p.id = t.posting_id
      left join payment m on m.is_listed and ${paymentRowSql}
      where t.created_at is distinct from p.created_at and t.created_at is distinct from m.created_at`,
  },
]

/** Users' rows against the ledger and each other. */
export const rowRules: readonly AuditRule[] = [...entryRules, ...rowOnlyRules]
