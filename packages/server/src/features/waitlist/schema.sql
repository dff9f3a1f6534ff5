-- People who wait for Tern to open in their country.
create table waitlist (
  id uuid primary key,
  -- Lower case.
  email text not null unique check (length(email) <= 254),
  joined_at timestamptz not null,
  -- When the form service accepted it; null before, or without a configured service.
  forwarded_at timestamptz,
  country text check (country ~ '^[A-Z]{2}$')
);
create index waitlist_not_forwarded on waitlist (id) where forwarded_at is null;
