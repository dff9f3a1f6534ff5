-- Owner: notifications. When a notification that needs an answer got it, apart from when it was read.
-- Null while the answer is open. What was read before this column existed was answered by that.
alter table notification add column answered_at timestamptz;
update notification set answered_at = read_at where needs_action and read_at is not null;
create index notification_open on notification (user_id, id) where needs_action and answered_at is null;
