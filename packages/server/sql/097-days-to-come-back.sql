-- Owner: privacy. A deletion waits some days, in which its person can come back.

-- When the account is deleted, while that can still be undone.
alter table app_user add column deletion_due_at timestamptz,
  add constraint app_user_is_not_deleted_twice check (deletion_due_at is null or deleted_at is null);
create index app_user_deletion_due on app_user (deletion_due_at) where deletion_due_at is not null;

-- As before, and nothing that moves money, and no session, begins with somebody whose account is about to be deleted. What others
-- finish, such as a link to a bank, and what has to be known of them, such as a case, may still come: the deletion looks at it.
create or replace function refuse_deleted_user() returns trigger language plpgsql as $$
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
