-- kyc owns: kyc_document, the files people upload for their verification.

create table kyc_document (
  id uuid primary key,
  user_id bigint not null references app_user,
  document_type text not null,
  side text check (side in ('front', 'back', 'selfie')),
  content_type text not null check (content_type in ('image/jpeg', 'application/pdf')),
  size_bytes integer not null check (size_bytes > 0),
  -- The cleaned file, encrypted and bound to this row; null once deleted. The row stays to be counted.
  content bytea,
  created_at timestamptz not null,
  deleted_at timestamptz,
  check ((content is null) = (deleted_at is not null))
);
-- Encrypted: compressing it again gains nothing.
alter table kyc_document alter column content set storage external;
create index kyc_document_by_user on kyc_document (user_id, created_at desc);
create index kyc_document_deleted on kyc_document (deleted_at) where deleted_at is not null;
