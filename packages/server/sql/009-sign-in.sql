-- identity owns: mailed_link, sign_in_challenge, totp, recovery_code, passkey, passkey_ceremony, external_identity,
-- external_sign_in, external_link, proof; and adds to app_user and session.

alter table app_user
  add column metadata jsonb not null default '{}',
  -- An address that takes the place of `email` once the link mailed there was followed.
  add column pending_email text,
  -- Since when the password opens nothing until another one is chosen: somebody said that a sign-in was not theirs.
  add column password_blocked_at timestamptz;

alter table session
  -- How the person proved themself: password, link, passkey, google, external, register.
  add column door text not null default 'password',
  -- SHA-256 of the device's own long-lived cookie; without one, of what the device says it is.
  add column device bytea,
  -- ISO 3166-1 alpha-2, or null when the address does not tell.
  add column country text;
create index session_device_of_user on session (user_id, device);

-- A secret that was mailed. It is good once, and only for its purpose.
create table mailed_link (
  -- SHA-256 of the token, which itself is kept nowhere.
  hash bytea primary key,
  purpose text not null check (purpose in ('log_in', 'verify_email', 'change_email', 'reset_password', 'not_me')),
  user_id bigint not null references app_user,
  -- The address it was mailed to: proven by whoever comes back with it.
  email text not null,
  -- SHA-256 of the cookie of the browser that asked, where only that browser may use it.
  browser bytea,
  -- The session it speaks of.
  session_id uuid references session,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index mailed_link_of_user on mailed_link (user_id, purpose, created_at);
create index mailed_link_expires_at on mailed_link (expires_at);

-- The first proof was right and the second is awaited.
create table sign_in_challenge (
  hash bytea primary key,
  user_id bigint not null references app_user,
  door text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index sign_in_challenge_expires_at on sign_in_challenge (expires_at);

create table totp (
  user_id bigint primary key references app_user,
  -- Encrypted, bound to the user.
  secret bytea not null,
  created_at timestamptz not null,
  -- Null until a first code showed that the app was set up right; until then it counts for nothing.
  confirmed_at timestamptz,
  -- The time step of the last code that was accepted: no code is good twice (RFC 6238, section 5.2).
  last_step bigint not null default 0
);

create table recovery_code (
  user_id bigint not null references app_user,
  -- A keyed hash.
  hash bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

create table passkey (
  id uuid primary key,
  user_id bigint not null references app_user,
  -- The authenticator's own name for it, base64url.
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  synced boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkey_of_user on passkey (user_id);

-- A WebAuthn challenge that waits for its answer. Good once.
create table passkey_ceremony (
  id uuid primary key,
  purpose text not null check (purpose in ('sign_in', 'second_factor', 'register', 'proof')),
  challenge text not null,
  user_id bigint references app_user,
  -- The proof or, hashed, the sign-in challenge it belongs to.
  subject text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index passkey_ceremony_expires_at on passkey_ceremony (expires_at);

-- Accounts at identity providers. Keyed by issuer and subject, never joined by email.
create table external_identity (
  issuer text not null,
  subject text not null,
  user_id bigint not null references app_user,
  provider text not null check (provider in ('google', 'external')),
  email text,
  linked_at timestamptz not null,
  primary key (issuer, subject)
);
create index external_identity_of_user on external_identity (user_id);

-- A visit to an identity provider that has not come back yet. Good once.
create table external_sign_in (
  -- SHA-256 of the `state`.
  hash bytea primary key,
  provider text not null check (provider in ('google', 'external')),
  -- SHA-256 of the cookie of the browser that left: only it may come back.
  browser bytea not null,
  nonce text not null,
  -- The PKCE verifier, encrypted.
  verifier bytea not null,
  mode text not null check (mode in ('popup', 'redirect')),
  return_to text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index external_sign_in_expires_at on external_sign_in (expires_at);

-- ID tokens that were presented by themselves: each is good once, until it expires anyway.
create table spent_id_token (
  hash bytea primary key,
  expires_at timestamptz not null
);

-- An identity at a provider that waits for the account with its email to prove itself. Good once.
create table external_link (
  hash bytea primary key,
  issuer text not null,
  subject text not null,
  provider text not null check (provider in ('google', 'external')),
  email text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

-- A fresh proof for one sensitive act, bound to all that the person was shown of it (PSD2 RTS, article 5).
create table proof (
  id uuid primary key,
  user_id bigint not null references app_user,
  session_id uuid not null references session,
  action text not null,
  -- SHA-256 of action and subject, the hidden parts included.
  binding bytea not null,
  -- What the person is shown.
  subject jsonb not null,
  -- Keyed hash of a code that was mailed.
  mailed_code bytea,
  failures integer not null default 0 check (failures <= 5),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  proved_at timestamptz,
  used_at timestamptz
);
create index proof_expires_at on proof (expires_at);
