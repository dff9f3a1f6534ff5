-- identity owns.

alter table totp
  -- A secret that takes the place of `secret` once a code of it was given; until then the old app stays good.
  add column next_secret bytea,
  -- When the setting up that is not finished yet began.
  add column begun_at timestamptz;

alter table proof
  -- How many codes were mailed for it; the last one alone is good.
  add column mails integer not null default 0;

-- The order in which subjects are shown is kept: [["to", "Ada"], …].
comment on column proof.subject is 'pairs of name and text, in the order they are shown';
