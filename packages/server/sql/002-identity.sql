-- identity owns: app_user, login_attempt, session, refresh_token, signing_key.

create table app_user (
  -- Ten random digits, the last a check digit.
  id bigint primary key check (id between 1000000000 and 9999999999),
  email text not null,
  username text not null,
  name text,
  first_name text,
  -- The name as search compares it: without accents, in lower case. Folded by the application, so that it does not
  -- depend on the collation of the server.
  search_name text,
  -- Null for an account that has no password.
  password_hash text,
  email_verified_at timestamptz,
  kyc_status text not null default 'not_started'
    check (kyc_status in ('not_started', 'pending', 'in_review', 'needs_information', 'verified', 'rejected')),
  created_at timestamptz not null
);
create unique index app_user_email on app_user (lower(email));
create unique index app_user_username on app_user (lower(username));
create index app_user_username_prefix on app_user (lower(username) text_pattern_ops);
create index app_user_name_prefix on app_user (search_name text_pattern_ops);

-- Failed guesses per email address, whether or not it belongs to anybody; `account` is a keyed hash of the address.
create table login_attempt (
  account bytea primary key,
  failures integer not null,
  last_failed_at timestamptz not null,
  blocked_until timestamptz
);
create index login_attempt_last_failed_at on login_attempt (last_failed_at);

create table session (
  id uuid primary key,
  user_id bigint not null references app_user,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  user_agent text not null,
  -- The network the person came from, not the exact address.
  address_prefix text not null,
  revoked_at timestamptz,
  revoked_reason text,
  check ((revoked_at is null) = (revoked_reason is null))
);
create index session_live_by_user on session (user_id) where revoked_at is null;

create table refresh_token (
  -- SHA-256 of the cookie's value, which itself is kept nowhere.
  hash bytea primary key,
  session_id uuid not null references session,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When the token was exchanged for its successor. A token replaced before its use has a time here and no successor.
  used_at timestamptz,
  -- When a successor was last handed out for it: later than used_at after a repeated request.
  answered_at timestamptz,
  successor bytea
);
create index refresh_token_by_session on refresh_token (session_id);

create table signing_key (
  -- The thumbprint of the public key (RFC 7638), which tokens name in their header.
  id text primary key,
  public_key jsonb not null,
  -- The private key, encrypted with a key derived from the installation's secret.
  private_key bytea not null,
  created_at timestamptz not null,
  retired_at timestamptz
);
-- One key signs at a time, however many processes start at once.
create unique index signing_key_in_use on signing_key ((true)) where retired_at is null;
