-- Owner: notifications. The group of a notification among those of its person, as the bell shows them: one for each kind
-- and device, one for each kind, person and currency of a day (UTC), one for the settled security events of a month.
-- Every other kind is single.
alter table notification add column group_key uuid not null generated always as (
  case
    when code in ('new_sign_in', 'security_change') and read_at is not null
      and not (needs_action and answered_at is null)
      then md5('security ' || extract(epoch from date_trunc('month', created_at at time zone 'UTC'))::text)::uuid
    when code in ('new_sign_in', 'security_change')
      then md5((needs_action and answered_at is null)::text || ' ' || code
        || ' ' || coalesce((params -> 'change')::text, '') || ' ' || coalesce((params -> 'browser')::text, '')
        || ' ' || coalesce((params -> 'system')::text, '')
        || ' ' || coalesce((params -> 'country')::text, (params -> 'network')::text, ''))::uuid
    when code in ('money_received', 'request_received', 'request_reminder', 'request_paid', 'request_part_paid',
        'schedule_sent')
      then md5((needs_action and answered_at is null)::text || ' ' || code
        || ' ' || coalesce((params -> 'person')::text, '') || ' ' || coalesce((params -> 'currency')::text, '')
        || ' ' || ((created_at at time zone 'UTC')::date - date '2000-01-01')::text)::uuid
    when code in ('deposit_arrived', 'order_filled', 'protection_acted', 'rate_alert')
      then md5((needs_action and answered_at is null)::text || ' ' || code
        || ' ' || coalesce((params -> 'currency')::text, '')
        || ' ' || ((created_at at time zone 'UTC')::date - date '2000-01-01')::text)::uuid
    else id
  end) stored;

-- Finds the newest and all others of a group.
create index notification_group on notification (user_id, group_key, id);
-- Counts groups with something unread without reading each notification.
create index notification_unread_group on notification (user_id, group_key) where read_at is null;
