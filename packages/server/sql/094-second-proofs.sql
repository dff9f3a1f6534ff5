-- Owner: risk. What street mode would have held may leave only after its second proof, also where a case held it first.

-- When the second proof was given. Whatever had already been let go, or waits for a case since, was confirmed before.
alter table street_hold add column confirmed_at timestamptz;
update street_hold set confirmed_at = coalesce(t.decided_at, t.updated_at)
  from transfer t where t.id = transfer_id and (t.hold_reason = 'compliance' or t.state in ('processing', 'settled', 'failed'));
