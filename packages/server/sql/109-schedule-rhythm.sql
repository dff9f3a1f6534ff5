-- Owner: schedules. Rhythm, largest amount and first date as the owner confirmed them. Written with a
-- confirmation only; edits stay within it, and a date that exceeds it is not sent.
alter table schedule
  add column confirmed_recurrence text
    check (confirmed_recurrence in ('once', 'weekly', 'biweekly', 'monthly', 'month_end')),
  add column confirmed_ceiling_minor numeric(38, 0) check (confirmed_ceiling_minor > 0),
  add column confirmed_from date;

-- Backfill: existing schedules as they are now.
update schedule
   set confirmed_recurrence = recurrence, confirmed_ceiling_minor = ceiling_minor, confirmed_from = anchor_on;

alter table schedule
  alter column confirmed_recurrence set not null,
  alter column confirmed_ceiling_minor set not null,
  alter column confirmed_from set not null,
  add constraint schedule_within_confirmed check (ceiling_minor <= confirmed_ceiling_minor);
