-- Owner: identity. When the holder of the mailbox first proved it from inside the account; search and trust ask this, not
-- `email_verified_at`, which anybody's click on a mailed link sets.
alter table app_user rename column owner_verified_at to email_proven_at;
comment on column app_user.email_proven_at is
  'When a mailed link or code was first used by someone signed in to the account, or who signed in by it; null: never.';
