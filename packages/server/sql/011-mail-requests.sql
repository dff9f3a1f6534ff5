-- identity owns: mail_request.

-- Who asked for mails of one kind to one address, whether or not it belongs to anybody.
create table mail_request (
  -- A keyed hash of kind and address.
  target bytea primary key,
  -- When a mail was granted, within the last hour.
  granted_at timestamptz[] not null,
  last_granted_at timestamptz not null
);
create index mail_request_last_granted_at on mail_request (last_granted_at);
