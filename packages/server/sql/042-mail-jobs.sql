-- Mails are sent by jobs of the queue, which counts attempts and knows when the next is due.
drop index mail_due;
alter table mail drop column due_at, drop column attempts;

-- Where there is no queue yet, no mail waits either.
do $$
begin
  if to_regclass('graphile_worker._private_jobs') is not null then
    perform graphile_worker.add_job('send_mail', json_build_object('mailId', id), job_key => id::text, max_attempts => 1000)
      from mail where sent_at is null and given_up_at is null;
  end if;
end
$$;
