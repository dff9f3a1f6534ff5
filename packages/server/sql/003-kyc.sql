-- kyc owns: kyc_submission, kyc_number.

-- Every form somebody sent for verification and what became of it. Rows are kept: a new form makes a new row.
create table kyc_submission (
  -- Also the reference under which the provider knows the check.
  id uuid primary key,
  user_id bigint not null references app_user,
  status text not null
    check (status in ('pending', 'in_review', 'needs_information', 'verified', 'rejected', 'superseded')),
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
  -- All numbers of the form as one encrypted JSON text, under a nonce of its own and bound to this row.
  numbers bytea not null,
  provider_check_id text,
  reasons jsonb not null default '[]',
  submitted_at timestamptz not null,
  decided_at timestamptz
);
create index kyc_submission_by_user on kyc_submission (user_id, submitted_at desc);
-- One check is under way per person; a newer form takes the place of one that got no answer.
create unique index kyc_submission_pending on kyc_submission (user_id) where status = 'pending';

-- What can be known of a number without reading it: that it is the same as another, and how it ends.
create table kyc_number (
  submission_id uuid not null references kyc_submission,
  kind text not null check (kind in ('idNumber', 'documentNumber', 'panCard', 'medicareNumber')),
  -- Keyed hash of country, kind and number without punctuation.
  fingerprint bytea not null,
  last_characters text not null check (length(last_characters) <= 4),
  primary key (submission_id, kind)
);
create index kyc_number_fingerprint on kyc_number (fingerprint);
