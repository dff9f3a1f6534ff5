-- Owner: payments. Bank accounts and cards that were removed here and are still to be forgotten at the provider.

create table forgotten_method (
  id uuid primary key,
  provider text not null,
  kind text not null check (kind in ('bank_account', 'saved_card')),
  token text not null,
  asked_at timestamptz not null
);
create index forgotten_method_asked on forgotten_method (asked_at);
