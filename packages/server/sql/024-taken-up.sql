-- Owner: payments. A case that somebody has taken up is nothing to alarm about until the time they named.

alter table money_case
  -- When `npm run reconcile` first showed it to somebody.
  add column reported_at timestamptz,
  add column taken_up_at timestamptz,
  add column taken_up_by text,
  add column taken_up_because text,
  -- From when on it is overdue again; null for as long as it is open.
  add column taken_up_until timestamptz,
  add constraint money_case_taken_up check (
    (taken_up_at is null) = (taken_up_by is null) and (taken_up_at is null) = (taken_up_because is null)
    and (taken_up_until is null or taken_up_at is not null));
