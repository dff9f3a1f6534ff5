-- Owner: kyc. Residence of a verified person, from the form that verified them.

-- No row for anyone who is not verified now. Only the country may be shown to other people; the city is the person's own.
create function verified_residence(person bigint) returns table (country text, city text)
language sql stable as $$
  select form.country, form.city
    from app_user
    join kyc_submission form on form.user_id = app_user.id and form.status = 'verified'
   where app_user.id = person and app_user.kyc_status = 'verified'
   order by form.submitted_at desc limit 1
$$;
