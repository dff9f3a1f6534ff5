-- payments owns: payment, provider_event. Money that comes from outside, and what providers told about it.
create table payment (
  id uuid primary key,
  user_id bigint not null,
  kind text not null check (kind in ('card_deposit')),
  status text not null check (status in ('pending', 'completed', 'failed')),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null,
  provider text not null,
  session_id text,
  redirect_url text,
  capture_id text,
  idempotency_key uuid not null,
  request_hash bytea not null,
  transaction_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (user_id, idempotency_key)
);
create index payment_pending on payment (created_at) where status = 'pending';

-- Every authentic event once, by the provider's own id: a repeated one is recognised and does nothing.
create table provider_event (
  provider text not null,
  id text not null,
  payment_id uuid,
  received_at timestamptz not null,
  outcome text not null,
  primary key (provider, id)
);
