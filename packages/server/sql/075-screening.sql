-- Owner: compliance. Lists of sanctioned and politically exposed people, and whom of ours they may mean.

create extension if not exists pg_trgm;

-- How old the lists of a source may become, and how much of one may vanish at once.
create table screening_policy (
  source text primary key check (source in ('ofac_sdn', 'ofac_consolidated', 'un', 'eu', 'uk', 'pep')),
  max_age_hours integer not null check (max_age_hours > 0),
  max_vanished_percent integer not null check (max_vanished_percent between 0 and 100)
);
insert into screening_policy (source, max_age_hours, max_vanished_percent) values
  ('ofac_sdn', 48, 20), ('ofac_consolidated', 48, 20), ('un', 48, 20), ('eu', 48, 20), ('uk', 48, 20), ('pep', 744, 20);

-- Each import that changed something; the highest version of a source is in force.
create table screening_list (
  source text not null references screening_policy (source),
  version integer not null check (version > 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  files text[] not null,
  entries integer not null check (entries > 0),
  published_at timestamptz,
  imported_at timestamptz not null,
  -- When the same files were last given again, which shows that there are no newer ones.
  checked_at timestamptz not null,
  primary key (source, version)
);

-- Whoever a source lists, or listed once. What changes keeps its row.
create table screening_entry (
  id uuid primary key default gen_random_uuid(),
  source text not null references screening_policy (source),
  reference text not null,
  kind text not null check (kind in ('person', 'entity', 'vessel', 'aircraft')),
  programme text not null,
  birth_dates text[] not null,
  countries text[] not null,
  content_hash text not null,
  first_version integer not null,
  changed_version integer not null,
  -- The first version that no longer had it.
  ended_version integer,
  constraint screening_entry_reference unique (source, reference)
);

-- A name as it is listed, and folded into words, spellings and consonants, each with spaces between.
create table screening_name (
  id bigint generated always as identity primary key,
  entry_id uuid not null references screening_entry (id),
  name text not null,
  kind text not null check (kind in ('primary', 'alias', 'weak')),
  words text not null,
  spellings text not null,
  consonants text not null
);
create index screening_name_entry on screening_name (entry_id);
create index screening_name_spellings on screening_name using gin (spellings gin_trgm_ops);
create index screening_name_consonants on screening_name using gin (consonants gin_trgm_ops);

-- Each change after which everybody is screened again.
create table screening_epoch (
  number integer primary key check (number > 0),
  cause text not null check (cause in ('import', 'matcher')),
  matcher_version integer not null check (matcher_version > 0),
  begun_at timestamptz not null
);

-- Whoever has sent an identity form, and as of which change they are screened; 0 when they or their form changed since.
create table screening_person (
  user_id bigint primary key references app_user (id),
  screened_epoch integer not null default 0,
  screened_at timestamptz
);
create index screening_person_due on screening_person (screened_epoch, user_id);

-- A person whom an entry may mean.
create table screening_match (
  id uuid primary key,
  user_id bigint not null references app_user (id),
  entry_id uuid not null references screening_entry (id),
  status text not null check (status in ('open', 'cleared', 'ended')),
  score_basis_points integer not null check (score_basis_points between 0 and 10000),
  tier text not null check (tier in ('review', 'hold')),
  listed_name text not null,
  list_version integer not null,
  birth_date_evidence text not null check (birth_date_evidence in ('same', 'close', 'differs', 'not_given')),
  country_evidence text not null check (country_evidence in ('same', 'differs', 'not_given')),
  -- What was compared: a match that was cleared is opened again when either side has changed.
  entry_hash text not null,
  person_hash text not null,
  found_at timestamptz not null,
  closed_at timestamptz,
  -- An operator's name.
  cleared_by text,
  constraint screening_match_once unique (user_id, entry_id),
  constraint screening_match_closed check ((status = 'open') = (closed_at is null) and (status = 'cleared') = (cleared_by is not null))
);
create index screening_match_open on screening_match (found_at) where status = 'open';

create function screen_again() returns trigger language plpgsql as $$
declare
  person bigint;
begin
  if tg_table_name = 'app_user' then
    update screening_person set screened_epoch = 0 where user_id = new.id;
  else
    person := new.user_id;
    insert into screening_person (user_id) values (person) on conflict (user_id) do update set screened_epoch = 0;
  end if;
  return null;
end $$;

create trigger screen_new_form after insert or update of first_name, last_name, date_of_birth, country, nationality
  on kyc_submission for each row execute function screen_again();
create trigger screen_new_name after update of name, first_name on app_user for each row
  when ((old.name, old.first_name) is distinct from (new.name, new.first_name)) execute function screen_again();

insert into screening_person (user_id) select distinct user_id from kyc_submission;
