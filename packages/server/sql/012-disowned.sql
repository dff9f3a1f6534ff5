-- identity: what a link that says "this was not me" takes back, and whether an address was ever proven by its owner.

alter table app_user
  -- When whoever holds the mailbox was first in the account. A link that confirms an address may be followed by a program
  -- that scans mails, so `email_verified_at` alone does not tell.
  add column owner_proven_at timestamptz;
update app_user set owner_proven_at = email_verified_at;

-- The session that added it.
alter table passkey add column session_id uuid references session;
alter table totp add column session_id uuid references session;

alter table mailed_link
  -- While the link is good its address is kept for the account, which may have left it against its owner's will. Only of
  -- links that say "this was not me", written while the address was the account's and its owner proven.
  add column keeps_email boolean not null default false;
update mailed_link set keeps_email = true from app_user
 where purpose = 'not_me' and app_user.id = user_id and owner_proven_at is not null
   and lower(app_user.email) = lower(mailed_link.email);
create index mailed_link_keeps_email on mailed_link (lower(email)) where keeps_email and used_at is null;
