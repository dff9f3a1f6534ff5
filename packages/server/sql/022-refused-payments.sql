-- Owner: payments. A payment that was refused before it was begun keeps its key: the same request is refused for good, also
-- when another process is still about to begin it. A quote that a payment is begun at is reserved in the ledger.

create table refused_payment (
  user_id bigint not null,
  idempotency_key uuid not null,
  request_hash bytea not null,
  -- The refusal, as it is answered again.
  code text not null,
  details jsonb not null,
  refused_at timestamptz not null,
  primary key (user_id, idempotency_key)
);

select ledger.reserve_token(quote_id, id) from payment
 where quote_id is not null and status in ('pending', 'needs_review') order by quote_id;
