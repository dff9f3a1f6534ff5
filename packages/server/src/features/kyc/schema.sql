-- Identity verification: forms, documents, and the checks at identity providers.

-- Verification forms and their outcomes. A new form is a new row.
create table kyc_submission (
  -- Also the reference of the check at the provider.
  id uuid primary key,
  user_id bigint not null references app_user,
  status text not null check (status in ('pending', 'in_review', 'needs_information', 'verified', 'rejected',
    'superseded')),
  first_name text not null,
  last_name text not null,
  date_of_birth date not null,
  country text not null,
  nationality text not null,
  email text not null,
  document_type text not null,
  issuing_country text,
  currency_preference text not null,
  street_address text not null,
  city text not null,
  state text not null,
  postal_code text not null,
  -- All numbers of the form as one JSON text, encrypted and bound to this row.
  numbers bytea not null,
  provider_check_id text,
  reasons jsonb not null default '[]'::jsonb,
  submitted_at timestamptz not null,
  decided_at timestamptz,
  -- When the provider was last polled; the oldest is polled first.
  last_polled_at timestamptz not null,
  provider text not null,
  -- Whether the user can continue on the provider's page.
  is_hosted boolean not null default false,
  -- The provider cannot change an operator's decision.
  decided_by text check (decided_by in ('provider', 'operator')),
  -- Name in its own script, encrypted and bound to this row.
  local_name bytea,
  constraint kyc_submission_reasons_are_codes check (not jsonb_path_exists(reasons,
    '$[*]?(exists (@."message") || !(@."code" like_regex "^[a-z_]+$"))'::jsonpath))
);
create index kyc_submission_by_user on kyc_submission (user_id, submitted_at desc);
create index kyc_submission_running on kyc_submission (last_polled_at) where status in ('pending', 'in_review');
create unique index kyc_submission_running_by_user on kyc_submission (user_id)
  where status in ('pending', 'in_review');
create trigger people_are_there before insert on kyc_submission
  for each row execute function refuse_deleted_user('user_id');

-- Fingerprints of the numbers in forms, for comparison without decrypting them.
create table kyc_number (
  submission_id uuid not null references kyc_submission,
  kind text not null check (kind in ('idNumber', 'documentNumber', 'panCard', 'medicareNumber')),
  -- Keyed hash of country, kind, and number without punctuation.
  fingerprint bytea not null,
  last_characters text not null check (length(last_characters) <= 4),
  -- When an operator assigned the number to another user.
  released_at timestamptz,
  primary key (submission_id, kind)
);
create index kyc_number_fingerprint on kyc_number (fingerprint);

create table kyc_document (
  id uuid primary key,
  user_id bigint not null references app_user,
  document_type text not null,
  side text check (side in ('front', 'back', 'selfie')),
  content_type text not null check (content_type in ('image/jpeg', 'application/pdf')),
  size_bytes integer not null check (size_bytes > 0),
  -- Sanitized file, encrypted and bound to this row; null once deleted. The row remains, since uploads are counted.
  content bytea,
  created_at timestamptz not null,
  deleted_at timestamptz,
  check ((content is null) = (deleted_at is not null))
);
alter table kyc_document alter column content set storage external;
create index kyc_document_by_user on kyc_document (user_id, created_at desc);
create index kyc_document_deleted on kyc_document (deleted_at) where deleted_at is not null;

-- Events of identity providers that were processed, without personal data.
create table kyc_event (
  provider text not null,
  id text not null,
  received_at timestamptz not null,
  primary key (provider, id)
);
create index kyc_event_received on kyc_event (received_at);

-- Checks of deleted users that a provider still has to delete, without personal data.
create table kyc_redaction (
  provider text not null,
  check_id text not null,
  requested_at timestamptz not null,
  primary key (provider, check_id)
);

-- Returns the residence of a verified user, and no row for others. Only the country may be shown to other users.
create function verified_residence(person bigint) returns table (country text, city text)
language sql stable as $$
  select form.country, form.city
    from app_user
    join kyc_submission form on form.user_id = app_user.id and form.status = 'verified'
   where app_user.id = person and app_user.kyc_status = 'verified'
   order by form.submitted_at desc limit 1
$$;

-- Queues the form that waited for the user's email to be confirmed.
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
