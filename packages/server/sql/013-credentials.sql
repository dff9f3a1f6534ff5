-- identity: which state of an account's credentials a proof was right for.

alter table app_user
  -- Counts up whenever all or all other sessions are ended and when a way in is taken away: whoever proved themself
  -- before that and has no session yet gets none.
  add column credentials_version bigint not null default 0;

alter table sign_in_challenge add column credentials_version bigint not null default 0;
