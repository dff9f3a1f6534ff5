-- Owner: identity. Usernames that look alike are one name here, and one person's. UTS 39's skeleton for the characters that
-- usernames may have, and a w like two v.
create function username_skeleton(name text) returns text
language sql immutable strict parallel safe
as $$ select replace(replace(translate(lower(name), '01', 'ol'), 'm', 'rn'), 'w', 'vv') $$;

-- Who has, or had, the usernames of one skeleton. A released one is kept for its former owner.
create table username_claim (
  skeleton text primary key,
  user_id bigint not null references app_user,
  username text not null,
  claimed_at timestamptz not null,
  released_at timestamptz,
  check (skeleton = username_skeleton(username))
);
create index username_claim_by_user on username_claim (user_id) where released_at is null;

-- Of names that look alike already, the oldest has the claim; the others stay as they are.
insert into username_claim (skeleton, user_id, username, claimed_at)
select distinct on (username_skeleton(username)) username_skeleton(username), id, lower(username), created_at
  from app_user order by username_skeleton(username), created_at, id;

-- What nobody new is called, because it reads as if Tern itself wrote.
create table reserved_username (
  word text primary key check (word ~ '^[a-z0-9]+$'),
  -- Also where the word is only a part between dots, dashes or underscores.
  as_part boolean not null
);
insert into reserved_username (word, as_part)
select word, true from unnest(string_to_array(
  'admin,administrator,compliance,helpdesk,moderator,official,security,staff,superuser,support,sysadmin,tern', ',')) as word
union all
select word, false from unnest(string_to_array(
  'abuse,account,accounts,alert,alerts,anonymous,api,bank,billing,bot,cashier,contact,customercare,customerservice,deposit,'
  'deposits,developer,everyone,finance,fraud,ftp,help,helpcenter,hostmaster,info,kyc,legal,login,mail,mailerdaemon,me,'
  'noreply,notification,notifications,notify,null,operator,payment,payments,payout,payouts,postmaster,press,privacy,'
  'refund,refunds,register,root,sales,service,services,settings,signup,status,system,team,ternadmin,ternbank,ternhelp,'
  'ternofficial,ternpay,ternpayments,ternsecurity,ternsupport,ternteam,ternwallet,treasury,undefined,verification,verify,'
  'wallet,webmaster,withdraw,withdrawal,withdrawals,www', ',')) as word;

-- Owner: payments. A bank account is linked only for the session that began it, once its browser has come back from the
-- bank's page. A linking begun before this has neither, and is canceled after its day.
alter table bank_link add column login_session_id uuid, add column returned_at timestamptz,
  add column failed_because text check (failed_because in ('holder_differs'));
