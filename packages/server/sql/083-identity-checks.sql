-- kyc owns: kyc_event, kyc_redaction; a submission is handed over once its email is confirmed, and its provider answers later.

alter table kyc_submission
  -- Whether the person can go on at a page of the provider's.
  add column is_hosted boolean not null default false,
  -- What a person of ours decided is never changed by what the provider says later.
  add column decided_by text check (decided_by in ('provider', 'operator'));
update kyc_submission set decided_by = 'provider' where decided_at is not null;

-- A number that operators gave to somebody else counts for its former holder no more.
alter table kyc_number add column released_at timestamptz;

-- Events of identity providers that were taken in, each once. They name nobody here.
create table kyc_event (
  provider text not null,
  id text not null,
  received_at timestamptz not null,
  primary key (provider, id)
);
create index kyc_event_received on kyc_event (received_at);

-- What a provider still has to delete of somebody who left. It names nobody here.
create table kyc_redaction (
  provider text not null,
  check_id text not null,
  requested_at timestamptz not null,
  primary key (provider, check_id)
);

-- Whoever confirms their email has a form waiting for that handed over by a worker, at once and whichever way they confirmed it.
create function hand_over_kyc() returns trigger language plpgsql as $$
declare
  submission uuid;
begin
  select id into submission from kyc_submission
   where user_id = new.id and status = 'pending' and provider_check_id is null;
  if submission is not null then
    perform graphile_worker.add_job('begin_verification', json_build_object('submissionId', submission),
                                    job_key => 'begin_verification ' || submission);
  end if;
  return null;
end
$$;
create trigger hand_over_kyc after update of email_verified_at on app_user
  for each row when (old.email_verified_at is null and new.email_verified_at is not null)
  execute function hand_over_kyc();
