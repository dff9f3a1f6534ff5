-- Owner: desk. Operators' own accounts as customers: whoever holds an account decides about nothing that concerns it.

create table desk_own_account (
  operator_id uuid not null references desk_operator (id),
  user_id bigint not null references app_user (id),
  linked_at timestamptz not null,
  unlinked_at timestamptz check (unlinked_at >= linked_at),
  primary key (operator_id, user_id, linked_at)
);
create unique index desk_own_account_once on desk_own_account (operator_id, user_id) where unlinked_at is null;
create index desk_own_account_user on desk_own_account (user_id);

-- A link ends once, and its row is deleted only when nobody needs to know of it any more.
create function keep_own_account() returns trigger language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  if tg_op = 'UPDATE' then
    if old.unlinked_at is null and new.unlinked_at is not null then
      return new;
    end if;
  elsif old.unlinked_at < now() - interval '5 years'
     or exists (select from app_user u where u.id = old.user_id and u.deleted_at < now() - interval '5 years') then
    return old;
  end if;
  raise exception 'a link of an operator to their account is kept' using errcode = 'restrict_violation';
end
$$;
create trigger link_is_kept before update or delete on desk_own_account
  for each row execute function keep_own_account();

-- The transaction's sender and recipient, and whose list it is on.
create function transaction_parties(person bigint, transaction_id uuid) returns setof bigint language sql stable as $$
  select party from transaction t, unnest(array[t.user_id, t.sender_id, t.recipient_id]) as party
   where t.user_id = person and t.id = transaction_id
$$;

-- Everybody whose money, name or documents a case is about: its person, and both sides of what waits for it.
create function case_parties(compliance_case_id uuid) returns setof bigint language sql stable as $$
  select c.user_id from compliance_case c where c.id = compliance_case_id
  union all
  select party from compliance_case_transfer l join transfer t on t.id = l.transfer_id,
      unnest(array[t.sender_id, t.recipient_id]) as party
   where l.case_id = compliance_case_id
$$;

-- Everybody whom an entry of a queue concerns: nobody of them may decide about it. Raises case_not_found for a queue that is not here.
create function desk_parties(of_queue text, entry uuid) returns setof bigint language plpgsql stable as $$
begin
  case of_queue
    when 'verifications' then
      -- Whoever has one of its numbers as well: a verdict may take it from them.
      return query
        select s.user_id from kyc_submission s where s.id = entry
        union all
        select s.user_id from kyc_number n join kyc_number o on o.fingerprint = n.fingerprint
          join kyc_submission s on s.id = o.submission_id where n.submission_id = entry;
    when 'holds' then
      return query
        select party from transfer t, unnest(array[t.sender_id, t.recipient_id]) as party where t.id = entry;
    when 'payouts' then
      return query select o.user_id from payout o where o.id = entry;
    when 'exceptions' then
      return query
        select party from reconciliation_exception e join payment p on p.id = e.reference,
            unnest(array[p.user_id, p.recipient_id]) as party where e.id = entry
        union all
        select o.user_id from reconciliation_exception e join payout o on o.id = e.reference where e.id = entry
        union all
        select transaction_parties(d.user_id, d.transaction_id)
          from reconciliation_exception e join dispute d on d.id = e.reference where e.id = entry;
    when 'cases' then
      return query select case_parties(r.case_id) from compliance_review r where r.id = entry;
    when 'objections' then
      return query
        select o.user_id from compliance_objection o where o.id = entry
        union all
        select case_parties(o.case_id) from compliance_objection o where o.id = entry;
    when 'disputes' then
      return query
        select transaction_parties(d.user_id, d.transaction_id)
          from dispute_review r join dispute d on d.id = r.dispute_id where r.id = entry;
  end case;
end
$$;

-- Whether an entry concerns an account of this operator's own.
create function desk_is_own(of_queue text, entry uuid, operator uuid) returns boolean language sql stable as $$
  select exists (
    select from desk_own_account a where a.operator_id = operator and a.unlinked_at is null
       and a.user_id in (select desk_parties(of_queue, entry)))
$$;

create function refuse_own_account() returns trigger language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  if desk_is_own(new.queue, new.subject, new.operator_id) then
    raise exception 'operator % decides about an account of their own', new.operator_id using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger nobody_decides_about_themselves before insert on desk_decision
  for each row execute function refuse_own_account();
