-- Posts the operator's own money at providers: fees, payouts to the operator's bank account, reserves, conversions.
-- compatible
insert into ledger.permitted_move (from_kind, to_kind, code) values
  ('operating', 'card_settlement', 'operating'),
  ('card_settlement', 'operating', 'operating'),
  ('operating', 'payout_settlement', 'operating'),
  ('payout_settlement', 'operating', 'operating');

-- Movements of the operator's own money in a provider's books, by the provider's id, written in the transaction of the
-- posting.
create table operator_line (
  provider text not null,
  id text not null,
  kind text not null check (kind in ('fee', 'bank_transfer', 'reserve', 'conversion', 'adjustment', 'unknown')),
  -- Balance at the provider that it changed.
  balance text not null check (balance in ('payments', 'payouts')),
  -- Positive if the balance grew.
  amount_minor numeric(38, 0) not null check (amount_minor <> 0),
  currency text not null,
  posting_id uuid not null unique,
  occurred_at timestamptz not null,
  primary key (provider, id)
);
create index operator_line_time on operator_line (provider, occurred_at);

-- False for runs of versions that compared only the money of account holders.
alter table reconciliation_run add column includes_own boolean not null default false;
