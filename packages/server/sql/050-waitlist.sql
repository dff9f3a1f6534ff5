-- Owner: server. Who waits for their country to open.
create table waitlist (
  id uuid primary key,
  -- In lower case.
  email text not null unique check (length(email) <= 254),
  joined_at timestamptz not null,
  -- When the form service took it; null when none is configured.
  forwarded_at timestamptz
);
create index waitlist_not_forwarded on waitlist (id) where forwarded_at is null;
