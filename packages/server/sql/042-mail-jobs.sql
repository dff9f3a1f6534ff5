-- Mails are sent by jobs of the queue, which counts attempts and knows when the next is due. A mail that waits already gets
-- its job from the worker.
drop index mail_due;
alter table mail drop column due_at, drop column attempts;
create index mail_waiting on mail (created_at) where sent_at is null and given_up_at is null;

-- Jobs that earlier versions began each minute, and that name no mail.
do $$
begin
  if to_regclass('graphile_worker._private_jobs') is not null then
    delete from graphile_worker._private_jobs using graphile_worker._private_tasks as task
     where task.id = task_id and identifier in ('send_mail', 'delete_old_mails');
  end if;
end
$$;
