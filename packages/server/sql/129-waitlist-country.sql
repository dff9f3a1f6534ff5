-- Owner: server. The country that a person on the waitlist waits for.
-- ISO 3166-1 alpha-2; null where none was chosen.
alter table waitlist add column country text check (country ~ '^[A-Z]{2}$');
