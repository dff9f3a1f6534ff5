-- Owner: identity. Usernames that differ in dots, dashes or underscores only are one name: jane.doe, jane_doe, janedoe.
alter table username_claim drop constraint username_claim_check;

create or replace function username_skeleton(name text) returns text
language sql immutable strict parallel safe
as $$ select replace(replace(translate(lower(name), '01._-', 'ol'), 'm', 'rn'), 'w', 'vv') $$;

-- Existing usernames that now collide: one in use has the claim before a released one, then the oldest; the others
-- stay, and each is found by its exact spelling.
delete from username_claim
 where ctid in (
   select ctid from (
     select ctid, row_number() over (partition by username_skeleton(username)
              order by released_at is not null, claimed_at, user_id) as place
       from username_claim) ranked
    where place > 1);

update username_claim set skeleton = username_skeleton(username) where skeleton <> username_skeleton(username);

alter table username_claim add constraint username_claim_check check (skeleton = username_skeleton(username));
