-- Owner: identity. Accounts at identity providers are keyed by their issuer without the slash at its end, in the spelling of the
-- URL standard, so that the setting's spelling does not matter. Where both spellings opened accounts of one person, the first stays.

create function pg_temp.issuer_key(issuer text) returns text language sql as $$
  select regexp_replace(
    regexp_replace(lower(substring(issuer from '^[^/]*//[^/]*')), '^(https://.*):443$|^(http://.*):80$', '\1\2'),
    '/+$', '') || regexp_replace(coalesce(substring(issuer from '^[^/]*//[^/]*(.*)$'), ''), '/+$', '')
$$;

delete from external_identity later using external_identity first
 where pg_temp.issuer_key(later.issuer) = pg_temp.issuer_key(first.issuer) and later.subject = first.subject
   and (later.linked_at, later.issuer) > (first.linked_at, first.issuer);
update external_identity set issuer = pg_temp.issuer_key(issuer)
 where issuer like '%//%' and issuer <> pg_temp.issuer_key(issuer);
update external_link set issuer = pg_temp.issuer_key(issuer)
 where issuer like '%//%' and issuer <> pg_temp.issuer_key(issuer);

drop function pg_temp.issuer_key(text);
