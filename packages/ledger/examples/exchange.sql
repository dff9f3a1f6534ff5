-- Exchange: Ines turns 50.00 USD into 46.50 EUR. Every conversion goes over a stablecoin (USDT), so each currency keeps
-- summing to zero.

insert into ledger.currency (code, kind, scale) values
  ('USD', 'fiat', 2), ('EUR', 'fiat', 2), ('USDT', 'stablecoin', 6);

-- The bridge of a currency is the exchange desk's side of conversions: `bridge:USD` in dollars, `bridge:USD/USDT` in
-- stablecoins. The rounding account takes what is left over when amounts are cut to minor units.
insert into ledger.account (name, kind, currency, floor) values
  ('wallet:ines:USD', 'wallet', 'USD', 0),
  ('wallet:ines:EUR', 'wallet', 'EUR', 0),
  ('card:USD', 'card_settlement', 'USD', null),
  ('fee:USD', 'fee', 'USD', null),
  ('bridge:USD', 'bridge', 'USD', null),
  ('bridge:USD/USDT', 'bridge_stablecoin', 'USDT', null),
  ('bridge:EUR/USDT', 'bridge_stablecoin', 'USDT', null),
  ('bridge:EUR', 'bridge', 'EUR', null),
  ('rounding:USDT', 'rounding', 'USDT', null)
returning id, name, currency;

-- Two movements in one batch: the deposit of 100.00 USD, then the exchange in five legs. Movements are decided in their
-- order, so the second spends what the first brought in.
select ledger.post(jsonb_populate_record(null::ledger.batch, '{
  "accounts": [1, 2, 3, 4, 5, 6, 7, 8, 9],
  "movement_id": ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"],
  "movement_hash": ["\\x01", "\\x02"],
  "movement_kind": ["deposit", "exchange"],
  "movement_reference": ["00000000-0000-4000-9000-000000000001", "00000000-0000-4000-9000-000000000002"],
  "movement_at": ["2026-03-01T10:00:00Z", "2026-03-01T10:05:00Z"],
  "leg_movement": [1, 2, 2, 2, 2, 2],
  "leg_from": [3, 1, 1, 6, 6, 8],
  "leg_to": [1, 5, 4, 7, 9, 2],
  "leg_amount": [10000, 5000, 50, 49999900, 100, 4650],
  "leg_code": ["deposit", "exchange", "fee", "exchange", "rounding", "exchange"]
}')) as statuses;

-- The legs of the exchange, in whole units of their currency. Each leg is one negative and one positive entry.
select giver.leg, source.name as from, target.name as to,
    round(taker.amount / 10.0 ^ currency.scale, currency.scale) as amount, source.currency
  from ledger.entry as giver
  join ledger.entry as taker on (taker.posting_id, taker.leg) = (giver.posting_id, giver.leg)
  join ledger.account as source on source.id = giver.account_id
  join ledger.account as target on target.id = taker.account_id
  join ledger.currency on currency.code = source.currency
 where giver.posting_id = '00000000-0000-4000-8000-000000000002' and giver.amount < 0 and taker.amount > 0
 order by giver.leg;

-- The desk's position: long in dollars and short in euros, until it trades the difference away.
select name, balance from ledger.account where kind in ('bridge', 'bridge_stablecoin') order by id;

-- No leg crosses currencies, so each of them sums to zero.
select currency, sum(balance) from ledger.account group by currency order by currency;
