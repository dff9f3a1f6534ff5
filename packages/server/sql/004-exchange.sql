-- exchange owns: quote. A price the server stands by until it expires; single use is the ledger's matter.
create table quote (
  id uuid primary key,
  user_id bigint not null,
  recipient_id bigint,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- The whole price as it was shown, in a fixed spelling, and the keyed hash that proves it was not changed since.
  terms jsonb not null,
  signature bytea not null
);
create index quote_expires_at on quote (expires_at);
