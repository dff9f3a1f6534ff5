-- The registry of currencies (@tern/money/currency), for queries and for the accounts, which are kept in nothing else.
-- `npm run migrate` adds what the registry has gained since.
create table ledger.currency (
  code text primary key,
  kind text not null check (kind in ('fiat', 'stablecoin', 'crypto')),
  -- How many decimals the minor unit has. Never changes: stored amounts are minor units.
  scale smallint not null check (scale between 0 and 18)
);
insert into ledger.currency (code, kind, scale) values
  ('USD', 'fiat', 2), ('GBP', 'fiat', 2), ('CAD', 'fiat', 2), ('AUD', 'fiat', 2), ('EUR', 'fiat', 2), ('JPY', 'fiat', 0),
  ('SGD', 'fiat', 2), ('INR', 'fiat', 2), ('BRL', 'fiat', 2), ('USDT', 'stablecoin', 6), ('USDC', 'stablecoin', 6),
  ('BTC', 'crypto', 8), ('ETH', 'crypto', 18);
create trigger currency_is_kept before update or delete or truncate on ledger.currency
  for each statement execute function ledger.refuse_change();

alter table ledger.account add constraint account_currency_fkey foreign key (currency) references ledger.currency (code);
