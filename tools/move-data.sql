-- Loads rows dumped from a database older than version 0.1.0 into a new one; docs/operating.md lists the commands.
-- psql -v ON_ERROR_STOP=1 -v dump=FILE -f tools/move-data.sql URL, as the owner (a superuser, for session_replication_role).

begin;
-- Disables triggers and foreign keys: the rows have already passed them, and their seals are loaded unchanged.
set session_replication_role = replica;

select format('truncate %s', string_agg(oid::regclass::text, ', ')) from pg_class
 where relkind = 'r' and relnamespace in ('public'::regnamespace, 'ledger'::regnamespace) and relname <> 'schema_migration'
\gexec
\i :dump
commit;
analyze;
