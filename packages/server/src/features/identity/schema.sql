-- Users, their sessions, sign-in methods and security settings, usernames, favorites, and shown names.

-- Returns the same text for usernames that look alike: the UTS 39 skeleton for the characters of usernames, without
-- separators, with a w like two v.
create function username_skeleton(name text) returns text
language sql immutable strict parallel safe
as $$ select replace(replace(translate(lower(name), '01._-', 'ol'), 'm', 'rn'), 'w', 'vv') $$;

create table app_user (
  -- Ten random digits, the last a check digit.
  id bigint primary key check (id between 1000000000 and 9999999999),
  email text not null,
  username text not null,
  name text,
  first_name text,
  -- Null for an account that has no password.
  password_hash text,
  email_verified_at timestamptz,
  kyc_status text not null default 'not_started' check (kyc_status in ('not_started', 'pending', 'in_review',
    'needs_information', 'verified', 'rejected')),
  created_at timestamptz not null,
  metadata jsonb not null default '{}'::jsonb,
  -- New address, which replaces `email` once the link mailed there is followed.
  pending_email text,
  -- When the password was blocked until a new one is set, as after an unrecognized sign-in.
  password_blocked_at timestamptz,
  -- When the mailbox's holder first used the account. Mail scanners follow links, so `email_verified_at` is no proof.
  email_proven_at timestamptz,
  -- Incremented when all or all other sessions are ended and when a sign-in method is removed: a sign-in in progress
  -- that proved a factor before opens no session.
  credentials_version bigint not null default 0,
  deleted_at timestamptz,
  -- When the account holder froze the account: until unfrozen, it neither sends nor pulls money.
  frozen_at timestamptz,
  -- Latest change of a sign-in or security factor.
  factor_change text,
  factor_changed_at timestamptz,
  -- When the account will be deleted, while that can still be undone.
  deletion_due_at timestamptz,
  -- Verified name in its own script, encrypted and bound to the user's number.
  local_name bytea,
  constraint app_user_factor_change check ((factor_change is null) = (factor_changed_at is null)),
  constraint app_user_is_not_deleted_twice check (deletion_due_at is null or deleted_at is null)
);
create unique index app_user_email on app_user (lower(email));
create unique index app_user_username on app_user (lower(username));
create index app_user_username_prefix on app_user (lower(username) text_pattern_ops);
create index app_user_deletion_due on app_user (deletion_due_at) where deletion_due_at is not null;
-- Read by every batch of movements, so it covers frozen accounts only.
create index app_user_frozen on app_user (id) where frozen_at is not null;

create function refuse_change_of_deleted_user() returns trigger language plpgsql as $$
begin
  raise exception 'user % has left', old.id using errcode = 'TU001';
end
$$;
create trigger deleted_is_deleted before delete or update on app_user
  for each row when (old.deleted_at is not null) execute function refuse_change_of_deleted_user();
call seal_table('app_user', '{id}', '{frozen_at}');

-- Failed sign-in attempts per email address, whether or not an account has it.
create table login_attempt (
  -- Keyed hash of the address, or of the address and a known browser.
  account bytea primary key,
  failures integer not null,
  last_failed_at timestamptz not null,
  blocked_until timestamptz,
  -- The check in progress. Other checks wait for it until `check_until`.
  check_id uuid,
  check_until timestamptz
);
create index login_attempt_last_failed_at on login_attempt (last_failed_at);

create table session (
  id uuid primary key,
  user_id bigint not null references app_user,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  user_agent text not null,
  -- Network of the client's address, not the exact address.
  address_prefix text not null,
  revoked_at timestamptz,
  revoked_reason text,
  -- One of password, link, passkey, google, external, register.
  sign_in_method text not null default 'password',
  -- SHA-256 of the device's long-lived cookie or, without one, of how it identifies itself.
  device bytea,
  -- ISO 3166-1 alpha-2; null if the address does not reveal it.
  country text,
  check ((revoked_at is null) = (revoked_reason is null)),
  constraint session_revoked_reason_is_code check (revoked_reason ~ '^[a-z_]+$')
);
create index session_live_by_user on session (user_id) where revoked_at is null;
create index session_device_of_user on session (user_id, device);
create index session_last_used_at on session (last_used_at);

-- Refuses rows that name a deleted user. Rows that start something, such as a payment or a session, are also refused
-- while the deletion is pending; other rows, such as a compliance case, are left to the deletion.
-- Arguments: the columns that name users.
create function refuse_deleted_user() returns trigger language plpgsql as $$
declare
  people bigint[] := '{}';
  is_beginning constant boolean := tg_table_name in ('payment', 'payout', 'transfer', 'payment_request', 'exchange_order',
    'schedule', 'session', 'favorite');
  person record;
begin
  for place in 0 .. tg_nargs - 1 loop
    people := people || (to_jsonb(new) ->> tg_argv[place])::bigint;
  end loop;
  for person in select deleted_at, deletion_due_at from app_user where id = any(people) order by id for key share loop
    if person.deleted_at is not null or (is_beginning and person.deletion_due_at is not null) then
      raise exception 'a row of % names somebody who has left', tg_table_name using errcode = 'TU001';
    end if;
  end loop;
  return new;
end
$$;
create trigger people_are_there before insert on session for each row execute function refuse_deleted_user('user_id');

create table refresh_token (
  -- SHA-256 of the cookie's value, which is not stored.
  hash bytea primary key,
  session_id uuid not null references session,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When the token was exchanged for its successor, or replaced before use: then it has no successor.
  used_at timestamptz,
  -- When the successor was last returned: later than `used_at` after a repeated request.
  answered_at timestamptz,
  successor bytea
);
create index refresh_token_by_session on refresh_token (session_id);
create index refresh_token_expires_at on refresh_token (expires_at);

create table signing_key (
  -- Thumbprint of the public key (RFC 7638), used as key id in token headers.
  id text primary key,
  public_key jsonb not null,
  -- Encrypted with a key derived from TERN_SECRET.
  private_key bytea not null,
  created_at timestamptz not null,
  retired_at timestamptz
);
-- One key signs at a time, even if several processes start together.
create unique index signing_key_in_use on signing_key ((true)) where retired_at is null;

-- Single-use links in mails, each for one purpose.
create table mailed_link (
  -- SHA-256 of the token, which is not stored.
  hash bytea primary key,
  purpose text not null check (purpose in ('log_in', 'verify_email', 'change_email', 'reset_password',
    'unrecognized_sign_in', 'freeze_account')),
  user_id bigint not null references app_user,
  -- Address it was mailed to. Following the link confirms it.
  email text not null,
  -- SHA-256 of the requesting browser's cookie, if only that browser may use the link.
  browser bytea,
  -- Session that the mail reports.
  session_id uuid references session,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- Reserves the address for the account while the link is valid, in case an intruder changes it. Only for
  -- `unrecognized_sign_in`, mailed to the proven address of the account.
  keeps_email boolean not null default false
);
create index mailed_link_of_user on mailed_link (user_id, purpose, created_at);
create index mailed_link_expires_at on mailed_link (expires_at);
create index mailed_link_keeps_email on mailed_link (lower(email)) where keeps_email and used_at is null;
create index mailed_link_session on mailed_link (session_id) where session_id is not null;

-- Sign-ins that passed the first factor and await the second.
create table sign_in_challenge (
  hash bytea primary key,
  user_id bigint not null references app_user,
  sign_in_method text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  credentials_version bigint not null default 0
);
create index sign_in_challenge_expires_at on sign_in_challenge (expires_at);

-- Authenticator apps.
create table totp (
  user_id bigint primary key references app_user,
  -- Encrypted and bound to the user.
  secret bytea not null,
  created_at timestamptz not null,
  -- When a first code confirmed the setup; the factor is unusable before.
  confirmed_at timestamptz,
  -- Time step of the last accepted code: a code is valid once (RFC 6238, section 5.2).
  last_step bigint not null default 0,
  -- Replaces `secret` once one of its codes is entered; until then the old app remains valid.
  next_secret bytea,
  -- When the unfinished setup began.
  begun_at timestamptz,
  -- Session that set it up.
  session_id uuid references session
);
create index totp_session on totp (session_id) where session_id is not null;

create table recovery_code (
  user_id bigint not null references app_user,
  -- Keyed hash of the code.
  hash bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

create table passkey (
  id uuid primary key,
  user_id bigint not null references app_user,
  -- Assigned by the authenticator, in base64url.
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  synced boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  -- The session that added it.
  session_id uuid references session
);
create index passkey_of_user on passkey (user_id);
create index passkey_session on passkey (session_id) where session_id is not null;
create trigger people_are_there before insert on passkey for each row execute function refuse_deleted_user('user_id');

-- WebAuthn challenges that await an answer, each valid once.
create table passkey_ceremony (
  id uuid primary key,
  purpose text not null check (purpose in ('sign_in', 'second_factor', 'register', 'step_up')),
  challenge text not null,
  user_id bigint references app_user,
  -- Id of the step-up confirmation or session, or hash of the sign-in challenge, that it belongs to.
  subject text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index passkey_ceremony_expires_at on passkey_ceremony (expires_at);

-- Linked accounts at identity providers, matched by issuer and subject, never by email.
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
create trigger people_are_there before insert on external_identity
  for each row execute function refuse_deleted_user('user_id');

-- Sign-ins in progress at an identity provider, each valid once.
create table external_sign_in (
  -- SHA-256 of the `state`.
  hash bytea primary key,
  provider text not null check (provider in ('google', 'external')),
  -- SHA-256 of the cookie of the browser, the only one that may complete it.
  browser bytea not null,
  nonce text not null,
  -- PKCE verifier, encrypted.
  verifier bytea not null,
  mode text not null check (mode in ('popup', 'redirect')),
  return_to text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index external_sign_in_expires_at on external_sign_in (expires_at);

-- Used ID tokens that were presented without a redirect: each is valid once.
create table spent_id_token (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index spent_id_token_expires_at on spent_id_token (expires_at);

-- Identities at a provider, to be linked once the account with the same email is authenticated; each valid once.
create table external_link (
  hash bytea primary key,
  issuer text not null,
  subject text not null,
  provider text not null check (provider in ('google', 'external')),
  email text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index external_link_expires_at on external_link (expires_at);

-- Fresh authentications for one sensitive action each, bound to the details shown to the user (PSD2 RTS, article 5).
create table step_up_confirmation (
  id uuid primary key,
  user_id bigint not null references app_user,
  session_id uuid not null references session,
  action text not null,
  -- SHA-256 of the action and its subject, including parts not shown.
  binding bytea not null,
  -- Details shown to the user.
  subject jsonb not null,
  -- Keyed hash of the last mailed code, the only valid one.
  mailed_code bytea,
  failures integer not null default 0 check (failures <= 5),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  confirmed_at timestamptz,
  used_at timestamptz,
  -- Count of codes mailed.
  mails integer not null default 0
);
create index step_up_confirmation_expires_at on step_up_confirmation (expires_at);
create index step_up_confirmation_session on step_up_confirmation (session_id);

-- Requests for one kind of mail to one address, whether or not an account has it.
create table mail_request (
  -- Keyed hash of kind and address.
  target bytea primary key,
  -- When mails were granted within the last hour.
  granted_at timestamptz[] not null,
  last_granted_at timestamptz not null
);
create index mail_request_last_granted_at on mail_request (last_granted_at);

-- Current or last owners of usernames, one for all that look alike. A released username stays reserved for a while.
create table username_claim (
  skeleton text primary key,
  user_id bigint not null references app_user,
  username text not null,
  claimed_at timestamptz not null,
  released_at timestamptz,
  check (skeleton = username_skeleton(username))
);
create index username_claim_by_user on username_claim (user_id) where released_at is null;

-- Words refused in new usernames because they suggest that Tern is writing.
create table reserved_username (
  word text primary key check (word ~ '^[a-z0-9]+$'),
  -- Refused also as a part between dots, dashes or underscores.
  as_part boolean not null
);
insert into reserved_username
  select regexp_split_to_table(
  $$admin administrator compliance deleted helpdesk moderator official security staff superuser support sysadmin tern$$,
  '\s+'), true;
insert into reserved_username
  select regexp_split_to_table(
  $$abuse account accounts alert alerts anonymous api bank billing bot cashier contact customercare customerservice
  deposit deposits developer everyone finance fraud ftp help helpcenter hostmaster info kyc legal login mail
  mailerdaemon me noreply notification notifications notify null operator payment payments payout payouts
  postmaster press privacy refund refunds register root sales service services settings signup status system team
  ternadmin ternbank ternhelp ternofficial ternpay ternpayments ternsecurity ternsupport ternteam ternwallet
  treasury undefined verification verify wallet webmaster withdraw withdrawal withdrawals www$$,
  '\s+'), false;

-- Payees that a user marked to find them first.
create table favorite (
  user_id bigint not null references app_user,
  favorite_id bigint not null references app_user,
  created_at timestamptz not null,
  primary key (user_id, favorite_id),
  constraint favorite_of_another check (user_id <> favorite_id)
);
create trigger people_are_there before insert on favorite
  for each row execute function refuse_deleted_user('user_id', 'favorite_id');

-- Full names shown to a sender when reviewing a send, counted against a daily limit. Later sends keep naming the payee.
create table shown_name (
  viewer_id bigint not null references app_user,
  owner_id bigint not null references app_user,
  shown_at timestamptz not null,
  primary key (viewer_id, owner_id),
  constraint shown_name_of_another check (viewer_id <> owner_id)
);
create index shown_name_by_owner on shown_name (owner_id);
create index shown_name_by_time on shown_name (shown_at);
create trigger people_are_there before insert on shown_name
  for each row execute function refuse_deleted_user('viewer_id', 'owner_id');

create function forget_shown_names() returns trigger language plpgsql as $$
begin
  delete from shown_name where owner_id = new.id;
  return null;
end
$$;
create trigger forget_shown_names after update of name on app_user
  for each row when (old.name is distinct from new.name) execute function forget_shown_names();

-- Foreign keys of earlier features.
alter table mail add foreign key (user_id) references app_user;
alter table notification add foreign key (user_id) references app_user;
alter table mail_choice add foreign key (user_id) references app_user;
